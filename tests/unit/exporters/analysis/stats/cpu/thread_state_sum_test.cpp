#include "tests/unit/exporters/sample_fixture.hpp"

namespace prof::stats {
namespace {

class ThreadStateSumTest : public test::SampleFixture {
 protected:
  static constexpr int kEnded = 5;
  static constexpr int kPreempted = 6;
  static constexpr int kWaits = 7;

  // Runs 40, preempted for 10, blocked for 30, ends 20 later.
  void add_life(std::int64_t start, std::int64_t tid) {
    add_switch(start, true, 0, tid);
    add_switch(start + 20, false, kPreempted, tid);
    add_switch(start + 30, true, 0, tid);
    add_switch(start + 50, false, kWaits, tid);
    add_switch(start + 80, true, 0, tid);
    add_switch(start + 100, false, kEnded, tid);
  }
  void end_at(std::int64_t time) {
    sql("INSERT INTO ANALYSIS_DETAILS (globalVid, duration, startTime, stopTime) VALUES (0," +
        std::to_string(time) + ",0," + std::to_string(time) + ")");
  }
};

TEST_F(ThreadStateSumTest, PartsAddUpToTheLife) {
  add_life(100, 9);
  end_at(1000);
  EXPECT_EQ(rows("thread_state_sum"), (Lines{"100,60.0,60,10.0,10,30.0,30,0.0,0,2,1,1,9,9,"}));
}

TEST_F(ThreadStateSumTest, LastsToTheEndOfTheRecording) {
  add_switch(100, true, 0, 10);
  add_switch(150, false, kWaits, 10);
  add_switch(120, true, 0, 11);
  end_at(1100);
  EXPECT_EQ(rows("thread_state_sum"),
            (Lines{"980,100.0,980,0.0,0,0.0,0,0.0,0,0,0,0,9,11,",
                   "1000,5.0,50,0.0,0,95.0,950,0.0,0,1,1,0,9,10,worker"}));
}

// nsys does not say why a thread left its CPU.
TEST_F(ThreadStateSumTest, StatesOfNsysAreOffCpu) {
  add_switch(0, true, 0);
  add_switch(40, false, 0);
  add_switch(90, true, 0);
  add_switch(100, false, kEnded);
  EXPECT_EQ(rows("thread_state_sum"), (Lines{"100,50.0,50,0.0,0,0.0,0,50.0,50,1,,,9,9,"}));
  sql("UPDATE SCHED_EVENTS SET threadState = NULL WHERE threadState = 0");
  EXPECT_EQ(rows("thread_state_sum"), (Lines{"100,50.0,50,0.0,0,0.0,0,50.0,50,1,,,9,9,"}));
}

TEST_F(ThreadStateSumTest, RanBeforeItsFirstEvent) {
  add_switch(0, true, 0, 8);
  add_switch(30, false, kWaits, 9);
  add_switch(50, true, 0, 9);
  EXPECT_EQ(rows("thread_state_sum")[1], "50,60.0,30,0.0,0,40.0,20,0.0,0,1,1,0,9,9,");
}

// A run whose end is not in the report, because the thread ended without an event, is over when
// another thread has its CPU. A run whose start is not in the report begins after the last event of
// its CPU.
TEST_F(ThreadStateSumTest, ACpuRunsOneThreadAtATime) {
  add_switch_on(0, 0, true, 0, 9);
  add_switch_on(1, 5, true, 0, 12);
  add_switch_on(1, 10, false, kWaits, 12);
  add_switch_on(0, 40, true, 0, 10);
  add_switch_on(0, 70, false, kEnded, 10);
  add_switch_on(0, 90, false, kEnded, 11);
  end_at(1000);
  EXPECT_EQ(rows("thread_state_sum"), (Lines{"40,100.0,40,0.0,0,0.0,0,0.0,0,0,0,0,9,9,",
                                             "30,100.0,30,0.0,0,0.0,0,0.0,0,0,0,0,9,10,worker",
                                             "20,100.0,20,0.0,0,0.0,0,0.0,0,0,0,0,9,11,",
                                             "995,0.5,5,0.0,0,99.5,990,0.0,0,1,1,0,9,12,"}));
}

// The thread goes on elsewhere. The report does not show what it did in between.
TEST_F(ThreadStateSumTest, ARunWhoseEndWasLost) {
  add_switch_on(0, 0, true, 0, 9);
  add_switch_on(0, 40, true, 0, 10);
  add_switch_on(0, 70, false, kEnded, 10);
  add_switch_on(1, 90, true, 0, 9);
  add_switch_on(1, 100, false, kEnded, 9);
  EXPECT_EQ(rows("thread_state_sum")[0], "100,50.0,50,0.0,0,0.0,0,50.0,50,0,0,0,9,9,");
}

TEST_F(ThreadStateSumTest, AnIdThatIsUsedAgainHasTwoLives) {
  add_life(0, 9);
  add_life(500, 9);
  EXPECT_EQ(rows("thread_state_sum"), (Lines{"200,60.0,120,10.0,20,30.0,60,0.0,0,4,2,2,9,9,"}));
}

TEST_F(ThreadStateSumTest, StatesAreCutAtTheEdgesOfAWindow) {
  add_life(0, 9);
  add_life(0, 10);
  EXPECT_EQ(rows("thread_state_sum", {25, 60, {}}),
            (Lines{"35,57.1,20,14.3,5,28.6,10,0.0,0,1,1,0,9,9,",
                   "35,57.1,20,14.3,5,28.6,10,0.0,0,1,1,0,9,10,worker"}));
  EXPECT_TRUE(rows("thread_state_sum", {0, 100, {{test::global_id(8, 0) >> 24}}}).empty());
  EXPECT_TRUE(rows("thread_state_sum", {200, 300, {}}).empty());
}

TEST_F(ThreadStateSumTest, ImpossibleTimesAreLeftOut) {
  add_life(0, 9);
  add_switch(INT64_MAX, true, 0);
  add_switch(INT64_MIN + 1, false, kWaits);
  EXPECT_EQ(rows("thread_state_sum").size(), 1U);
  EXPECT_EQ(rows("thread_state_sum")[0].substr(0, 4), "100,");
}

TEST_F(ThreadStateSumTest, WaitsByTheCallTheyWereIn) {
  add_life(0, 9);
  add_life(0, 10);
  // The thread waited in the inner call. The previous call was over.
  add_os_call(5, 10, "open");
  add_os_call(40, 90, "outer");
  add_os_call(45, 85, "read", 1, 1);
  add_chain("OSRT_CALLCHAINS", 1, {{"__read", "/lib/libc.so.6"}, {"load", "/bin/app"}, {"main"}});
  EXPECT_EQ(rows("thread_state_sum:osrt"),
            (Lines{"50.0,30,1,30.0,30.0,30,30,0.0,blocked,read,load,/bin/app,9,9,",
                   "50.0,30,1,30.0,30.0,30,30,0.0,blocked,[No OS-runtime call],,,9,10,worker"}));
  const Lines whole = rows("thread_state_sum:osrt:depth=-1");
  EXPECT_NE(whole[0].find("read,load < main,/bin/app < /bin/app"), std::string::npos) << whole[0];
}

TEST_F(ThreadStateSumTest, CallersOfNativeCodeComeWithThePythonFunction) {
  add_life(0, 9);
  add_os_call(45, 85, "read", 1, 1);
  std::vector<test::TestFrame> chain(20, {"between", "/bin/app"});
  chain[0] = {"__read", "/lib/libc.so.6"};
  chain[1] = {"os_read", "/bin/app"};
  chain[15] = test::python_frame("reads", "w.py", 12);
  chain[16] = test::python_frame("main", "w.py", 30);
  add_chain("OSRT_CALLCHAINS", 1, chain);
  EXPECT_NE(
      rows("thread_state_sum:osrt")[0].find("read,os_read < ... < reads,/bin/app < ... < w.py:12,"),
      std::string::npos);
  EXPECT_NE(rows("thread_state_sum:osrt:depth=14")[0].find("read,os_read < between < between"),
            std::string::npos);
  EXPECT_EQ(rows("thread_state_sum:osrt:depth=14")[0].find("..."), std::string::npos);
  EXPECT_NE(rows("thread_state_sum:osrt:depth=14")[0].find("between < reads,"), std::string::npos);
  EXPECT_NE(rows("thread_state_sum:cuda")[0].find("[No CUDA call]"), std::string::npos);
}

TEST_F(ThreadStateSumTest, WaitsThatBeganBeforeAWindowKnowTheirCall) {
  add_life(0, 9);
  add_os_call(45, 85, "read");
  EXPECT_EQ(rows("thread_state_sum:osrt", {60, 70, {}}),
            (Lines{"100.0,10,1,10.0,10.0,10,10,0.0,blocked,read,,,9,9,"}));
}

}  // namespace
}  // namespace prof::stats
