// Each report has a program with the problem, or one like it without the problem.
#include "tests/unit/exporters/analysis/analyze/program_fixture.hpp"

namespace prof::test {

namespace {

class BusyWaits : public ProgramFixture {
 protected:
  analyze::Finding find(analyze::CpuRule* rule) {
    auto facts = this->facts();
    return plain(rule(facts));
  }
  // Thread 8 works and thread 9 makes short calls, both for 100 ms.
  void works_beside() {
    in(0, 8);
    in(0, 9);
    out(100, 8);
    out(100, 9);
    ends(100);
    sql("CREATE TABLE PROF_SHORT_CALLS (globalTid, nameId, calls, duration)");
  }
  void short_calls(const std::string& name, int count, std::int64_t ms, std::int64_t tid = 9) {
    sql("INSERT INTO PROF_SHORT_CALLS VALUES (" + std::to_string(global_id(9, tid)) + "," +
        text(name) + "," + std::to_string(count) + "," + std::to_string(ms * kMs) + ")");
  }
  // Thread 9 polls and accepts; the one recorded call of accept returns `result`.
  void serves(int result) {
    call(1, 2, "accept");
    sql("UPDATE OSRT_API SET returnValue = " + std::to_string(result));
    works_beside();
    short_calls("accept", 20'000, 30);
    short_calls("poll", 20'000, 40);
  }
};

TEST_F(BusyWaits, AThreadThatYieldsWhileAnotherWorks) {
  call(1, 2, "sched_yield");
  works_beside();
  short_calls("sched_yield", 50'000, 79);
  const analyze::Finding found = find(analyze::spinning);
  EXPECT_EQ(found.at_stake, 40 * kMs);  // half of the time belongs to the other thread
  EXPECT_EQ(found.evidence, "50001 calls of sched_yield by 1 thread, 500010 a second in each");
}

TEST_F(BusyWaits, AThreadThatYieldsNowAndThen) {
  works_beside();
  short_calls("sched_yield", 90, 79);
  EXPECT_EQ(find(analyze::spinning).at_stake, 0);
}

TEST_F(BusyWaits, AThreadThatYieldsAlone) {
  in(0, 9);
  out(100, 9);
  ends(100);
  sql("CREATE TABLE PROF_SHORT_CALLS (globalTid, nameId, calls, duration)");
  short_calls("sched_yield", 50'000, 79);
  EXPECT_EQ(find(analyze::spinning).at_stake, 0);
}

TEST_F(BusyWaits, AServerThatCannotAccept) {
  serves(-1);
  const analyze::Finding found = find(analyze::failing_accept);
  EXPECT_GE(found.at_stake, 35 * kMs);
  EXPECT_NE(found.evidence.find("20001 calls of accept, 200010 a second, and 20000 polls by"),
            std::string::npos)
      << found.evidence;
  EXPECT_NE(found.evidence.find("1 of 1 recorded calls failed: accept"), std::string::npos)
      << found.evidence;
}

// Connections that are closed were accepted.
TEST_F(BusyWaits, AServerThatClosesWhatItAccepts) {
  serves(-1);
  short_calls("close", 19'000, 5, 8);
  EXPECT_EQ(find(analyze::failing_accept).at_stake, 0);
}

TEST_F(BusyWaits, AServerThatAccepts) {
  serves(5);
  EXPECT_EQ(find(analyze::failing_accept).at_stake, 0);
}

}  // namespace

}  // namespace prof::test
