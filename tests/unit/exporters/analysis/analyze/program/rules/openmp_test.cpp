// The findings about OpenMP. Each has a report with the problem and one without.
#include "tests/unit/exporters/analysis/analyze/program_fixture.hpp"

namespace prof::test {

namespace {

using Shares = std::vector<std::string>;
using analyze::Diagnosis;

class OpenMpRulesTest : public ProgramFixture {
 protected:
  OpenMpRulesTest() {
    for (const char* table : {"PARALLEL", "TASK", "SYNC_REGION", "MUTEX_WAIT"})
      sql(std::string("CREATE TABLE OPENMP_EVENT_KIND_") + table +
          " (start, end, globalTid, parallelId, parentTaskId, kind, codeId)");
    sql("CREATE TABLE PROF_OPENMP_CODE (id, function, file, line, module, fileOffset);"
        "INSERT INTO PROF_OPENMP_CODE VALUES (1," +
        text("solve") + "," + text("/src/app.c") + ",12," + text("/bin/app") + ",7)");
    runs(0, 100, 9);
    ends(100);
  }
  // Times in us. The rows are written by write().
  void add(const char* table, std::int64_t start, std::int64_t end, std::int64_t tid) {
    rows_ += std::string("INSERT INTO OPENMP_EVENT_KIND_") + table + " VALUES (" +
             std::to_string(start * 1000) + "," + std::to_string(end * 1000) + "," +
             std::to_string(global_id(9, tid)) + "," + std::to_string(region_) + ",0,2,1);";
  }
  Diagnosis written() {
    sql("BEGIN;" + rows_ + "COMMIT;");
    return diagnosis();
  }
  // A region of two threads that work until these times.
  void region(std::int64_t start, std::int64_t first, std::int64_t second, std::int64_t end) {
    ++region_;
    add("PARALLEL", start, end, 9);
    for (const auto& [tid, done] : {std::pair(9, first), std::pair(10, second)}) {
      add("TASK", start, end, tid);
      add("SYNC_REGION", done, end, tid);
    }
  }
  const analyze::Finding& only(const Diagnosis& found) {
    EXPECT_EQ(found.findings.size(), 1U);
    return found.findings.front();
  }

  int region_ = 1;
  std::string rows_;
};

TEST_F(OpenMpRulesTest, UnevenWork) {
  region(0, 100'000, 40'000, 100'000);
  const Diagnosis found = written();
  EXPECT_EQ(shares(found), Shares{"openmp_imbalance 30"});
  EXPECT_EQ(only(found).evidence,
            "app.c:12 (solve): 1 region of 2 threads; the busiest thread works for 100 ms, the "
            "average one for 70 ms");
  ASSERT_TRUE(only(found).where);
  EXPECT_EQ(only(found).where->thread, global_id(9, 9));
}

TEST_F(OpenMpRulesTest, EvenWork) {
  region(0, 100'000, 99'000, 100'000);
  EXPECT_EQ(shares(written()), Shares{});
}

TEST_F(OpenMpRulesTest, SerialParts) {
  region(0, 20'000, 20'000, 20'000);
  const Diagnosis found = written();
  EXPECT_EQ(shares(found), Shares{"openmp_serial 40"});
  EXPECT_EQ(only(found).evidence,
            "parallel regions take 20 ms of 100 ms; with more threads the program becomes at "
            "most 1.2 times as fast");
}

TEST_F(OpenMpRulesTest, TinyRegions) {
  for (int i = 0; i < 10'000; ++i) region(10 * i, 10 * i + 1, 10 * i + 1, 10 * i + 9);
  EXPECT_EQ(shares(written()), Shares{"openmp_tiny_regions 80"});
}

TEST_F(OpenMpRulesTest, LongRegionsAreNotTiny) {
  for (int i = 0; i < 2'000; ++i) region(50 * i, 50 * i + 49, 50 * i + 49, 50 * i + 50);
  EXPECT_EQ(shares(written()), Shares{});
}

TEST_F(OpenMpRulesTest, Locks) {
  region(0, 100'000, 100'000, 100'000);
  add("MUTEX_WAIT", 10'000, 60'000, 10);
  add("MUTEX_WAIT", 60'000, 90'000, 9);
  const Diagnosis found = written();
  EXPECT_EQ(shares(found), Shares{"openmp_locks 40"});
  EXPECT_EQ(only(found).evidence, "app.c:12 (solve): 2 waits of 40 ms on average, at most 50 ms");
  ASSERT_TRUE(only(found).where);
  EXPECT_EQ(only(found).where->thread, global_id(9, 10));
}

TEST_F(OpenMpRulesTest, ShortWaitsForLocks) {
  region(0, 100'000, 100'000, 100'000);
  add("MUTEX_WAIT", 10'000, 10'100, 10);
  EXPECT_EQ(shares(written()), Shares{});
}

}  // namespace
}  // namespace prof::test
