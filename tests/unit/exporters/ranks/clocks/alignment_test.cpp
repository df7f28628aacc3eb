// Several reports on one clock.
#include "exporters/ranks/clocks/alignment.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/run_sql.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::ranks {

namespace {

class AlignmentTest : public ::testing::Test {
 protected:
  std::string make_report(const std::string& name) {
    path_ = directory_.file(name);
    sql("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
        "INSERT INTO StringIds VALUES (4,'four'),(5,'ncclDevKernel_AllReduce_Sum');"
        "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, streamId, shortName, "
        "correlationId);");
    return path_;
  }
  // Runs SQL on the report that was made last.
  void sql(const std::string& statements) const { test::run_sql(path_, statements); }
  void set_clock(std::int64_t utc, std::int64_t duration) const {
    test::set_clock(path_, utc, duration);
  }
  void add_machine(const char* boot, int time, int raw, int shift) const {
    sql("CREATE TABLE PROF_CLOCKS (time INTEGER, monotonicRaw INTEGER, bootId TEXT, "
        "namespaceShift INTEGER)");
    sql(fmt::format("INSERT INTO PROF_CLOCKS VALUES ({}, {}, '{}', {})", time, raw, boot, shift));
  }
  void add_range(std::int64_t start, const char* name) const {
    sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({},{},59,'{}',NULL)", start, start + 50,
                    name));
  }
  // 200 all-reduces, on a clock that is ahead by `offset`, and by `drift` for each ns.
  void add_collectives(double offset, double drift) const {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> part(0.5, 1.5);
    std::string rows = "BEGIN;";
    double time = 0;
    for (int i = 0; i < 200; ++i) {
      time += 50e6 * part(random);
      const auto end = std::llround(time * (1 + drift) + offset);
      rows += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({},{},16777216,7,5,0);",
                          end - 100'000, end);
    }
    sql(rows + "COMMIT;");
  }
  static AlignedReports aligned(const std::vector<std::string>& paths,
                                const ClockChoice& how = {AlignBy::kBest}) {
    auto result = align_reports(paths, how);
    if (!result) ADD_FAILURE() << result.error().message;
    return result ? *result : AlignedReports{};
  }
  static std::string error(const std::vector<std::string>& paths, const ClockChoice& how) {
    const auto result = align_reports(paths, how);
    return result ? "" : result.error().message;
  }

 private:
  test::TemporaryDirectory directory_;
  std::string path_;
};

TEST_F(AlignmentTest, ReportsAreAlignedByWallClock) {
  const std::string a = make_report("a.db");
  set_clock(1'700'000'000'000'001'000, 10'000);
  const std::string b = make_report("b.db");
  set_clock(1'700'000'000'000'000'400, 10'000);
  for (const AlignBy by : {AlignBy::kBest, AlignBy::kClock}) {
    const auto result = aligned({a, b}, {by});
    EXPECT_EQ(result.clocks[0].offset, 600);
    EXPECT_EQ(result.clocks[1].offset, 0);
    EXPECT_EQ(result.utc_start, 1'700'000'000'000'000'400);
    EXPECT_EQ(result.not_aligned, "");
    EXPECT_EQ(result.unknown_errors.size(), 1U);
  }
  EXPECT_EQ(error({a, b}, {AlignBy::kCollectives}),
            b + " cannot be aligned by collectives: no collective operations match that it and " +
                a + " recorded; the error by the wall clock (--align=clock) is unknown");
}

TEST_F(AlignmentTest, ReportsOfOneMachineAreAlignedByItsClock) {
  const std::string a = make_report("a.db");
  set_clock(1'700'000'000'000'001'000, 10'000);
  add_machine("one", 10, 5'010, 0);
  // The wall clock was set back in between.
  const std::string b = make_report("b.db");
  set_clock(1'700'000'000'000'000'400, 10'000);
  add_machine("one", 20, 5'420, 100);
  for (const AlignBy by : {AlignBy::kBest, AlignBy::kClock, AlignBy::kCollectives}) {
    const auto result = aligned({a, b}, {by});
    EXPECT_EQ(result.clocks[0].offset, 0);
    EXPECT_EQ(result.clocks[1].offset, 300);
    EXPECT_EQ(result.utc_start, 1'700'000'000'000'001'000);
    EXPECT_TRUE(result.unknown_errors.empty());
  }
  const std::string c = make_report("c.db");
  set_clock(1'700'000'000'000'000'900, 10'000);
  add_machine("another", 0, 0, 0);
  EXPECT_EQ(aligned({a, c}).clocks[0].offset, 100);
}

TEST_F(AlignmentTest, ReportsOfDifferentTimesBeginAt0) {
  const std::string a = make_report("a.db");
  set_clock(1'700'000'000'000'000'000, 100);
  const std::string b = make_report("b.db");
  set_clock(1'700'000'001'000'000'000, 100);
  const auto result = aligned({a, b});
  EXPECT_EQ(result.clocks[1], events::ClockMap());
  EXPECT_FALSE(result.utc_start);
  EXPECT_EQ(result.not_aligned,
            "The reports were not recorded at the same time, so all begin at 0.");
  EXPECT_EQ(aligned({a, b}, {AlignBy::kClock}).clocks[1].offset, 1'000'000'000);
}

TEST_F(AlignmentTest, ReportsWithoutAWallClockBeginAt0) {
  const std::string a = make_report("a.db");
  const std::string b = make_report("b.db");
  EXPECT_EQ(aligned({a, b}).not_aligned,
            "Not all reports say when they were recorded, so all begin at 0.");
  EXPECT_EQ(error({a, b}, {AlignBy::kClock}), b + " cannot be aligned by the clock: it or " + a +
                                                  " does not say when it was recorded");
  EXPECT_EQ(aligned({a, b}, {AlignBy::kNone}).not_aligned, "");
}

TEST_F(AlignmentTest, ARangeIsAtOnePlace) {
  const std::string a = make_report("a.db");
  set_clock(1000, 100'000);
  add_range(500, "step");
  add_range(700, "step");
  const std::string b = make_report("b.db");
  set_clock(3000, 100'000);
  add_range(900, "four");
  add_range(100, "other");
  add_range(800, "step");
  const auto result = aligned({a, b}, {AlignBy::kRange, "step"});
  EXPECT_EQ(result.clocks[0].offset, 300);
  EXPECT_EQ(result.clocks[1].offset, 0);
  EXPECT_FALSE(result.utc_start);
  EXPECT_EQ(error({a, b}, {AlignBy::kRange, "other"}),
            a + " has no NVTX range \"other\" to align by");
}

TEST_F(AlignmentTest, CollectivesAreBetterThanTheWallClock) {
  const std::string a = make_report("a.db");
  set_clock(1'700'000'000'000'000'000, 12'000'000'000);
  add_collectives(0, 0);
  const std::string b = make_report("b.db");
  set_clock(1'700'000'000'030'000'000, 12'000'000'000);  // it is wrong by 10 ms
  add_collectives(-20e6, 15e-6);
  for (const AlignBy by : {AlignBy::kBest, AlignBy::kCollectives}) {
    const auto result = aligned({a, b}, {by});
    EXPECT_TRUE(result.unknown_errors.empty());
    EXPECT_EQ(result.clocks[0], events::ClockMap());
    for (const double time : {1e9, 5e9, 9e9}) {
      const auto own = std::llround(time * (1 + 15e-6) - 20e6);
      EXPECT_NEAR(static_cast<double>(result.clocks[1].common(own)), time, 100);
      EXPECT_NEAR(static_cast<double>(result.clocks[1].own(std::llround(time))),
                  static_cast<double>(own), 100);
    }
  }
  EXPECT_EQ(aligned({a, b}, {AlignBy::kClock}).clocks[1].offset, 30'000'000);
}

TEST_F(AlignmentTest, ADriftBelowTheErrorLeavesDurationsAsTheyAre) {
  const std::string a = make_report("a.db");
  set_clock(1'700'000'000'000'000'000, 12'000'000'000);
  add_collectives(0, 0);
  const std::string b = make_report("b.db");
  set_clock(1'700'000'000'000'000'000, 12'000'000'000);
  add_collectives(5e6, 1e-9);
  EXPECT_EQ(aligned({a, b}).clocks[1].drift, 0);
}

TEST(ClockMap, OwnTimesAreTheFirstOnesOfCommonTimes) {
  for (const double drift : {0.0, 20e-6, -20e-6, 0.3}) {
    const events::ClockMap clock{-7'000, drift, 1'000'000};
    for (std::int64_t time = -200'000; time < 5'000'000; time += 12'347) {
      const std::int64_t own = clock.own(time);
      EXPECT_GE(clock.common(own), time);
      EXPECT_LT(clock.common(own - 1), time);
    }
    EXPECT_EQ(clock.own(INT64_MIN), INT64_MIN);
    EXPECT_EQ(clock.own(INT64_MAX), INT64_MAX);
  }
}

}  // namespace

}  // namespace prof::ranks
