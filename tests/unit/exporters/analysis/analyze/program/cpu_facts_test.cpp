// How the time of a program is divided among its threads.
#include "tests/unit/exporters/analysis/analyze/program_fixture.hpp"

namespace prof::test {

namespace {

using analyze::Activity;
using analyze::CpuFacts;

class CpuFactsTest : public ProgramFixture {
 protected:
  static double ms(double ns) { return ns / static_cast<double>(kMs); }
  static double share(const CpuFacts& facts, Activity activity) {
    return ms(facts.share(activity));
  }
};

TEST_F(CpuFactsTest, WaitingForWorkersHasNoShare) {
  runs(0, 10, 9);
  call(10, 90, "pthread_join");
  in(90, 9);
  runs(10, 90, 10);
  ends(100);
  const CpuFacts facts = this->facts();
  EXPECT_DOUBLE_EQ(ms(facts.time), 100);
  EXPECT_DOUBLE_EQ(share(facts, Activity::kRunning), 100);
  EXPECT_DOUBLE_EQ(share(facts, Activity::kThreads), 0);
  EXPECT_EQ(facts.threads[0].times[static_cast<std::size_t>(Activity::kThreads)], 80 * kMs);
}

TEST_F(CpuFactsTest, AMomentIsDividedAmongThreadsThatMatter) {
  runs(0, 100, 9);
  runs(0, 50, 10);
  call(50, 100, "pthread_mutex_lock", 10);
  runs(0, 1, 11);
  call(1, 100, "nanosleep", 11);
  ends(100);
  const CpuFacts facts = this->facts();
  EXPECT_DOUBLE_EQ(ms(facts.time), 100);
  EXPECT_DOUBLE_EQ(share(facts, Activity::kLock), 25);
  EXPECT_DOUBLE_EQ(share(facts, Activity::kRunning), 75);
  EXPECT_DOUBLE_EQ(share(facts, Activity::kSleep), 0);
}

TEST_F(CpuFactsTest, WaitsOutsideOfTheProgramComeBeforeWaitsInIt) {
  runs(0, 10, 9);
  call(10, 100, "pthread_join");
  runs(0, 20, 10);
  call(20, 100, "recv", 10);
  ends(100);
  const CpuFacts facts = this->facts();
  EXPECT_DOUBLE_EQ(share(facts, Activity::kNetwork), 80);
  EXPECT_DOUBLE_EQ(share(facts, Activity::kThreads), 0);
}

TEST_F(CpuFactsTest, CallsHaveTheSharesOfTheirPeriods) {
  runs(0, 30, 9);
  in(80, 9);
  call(10, 90, "fsync");
  call(20, 25, "write");
  ends(100);
  const CpuFacts facts = this->facts();
  EXPECT_DOUBLE_EQ(share(facts, Activity::kFile), 50);
  ASSERT_EQ(facts.calls.size(), 2U);
  EXPECT_DOUBLE_EQ(ms(facts.calls[0].share), 80);
  EXPECT_DOUBLE_EQ(ms(facts.calls[0].running), 30);
  EXPECT_TRUE(facts.calls[1].is_nested);
  EXPECT_DOUBLE_EQ(facts.calls[1].share, 0);
}

TEST_F(CpuFactsTest, WithoutSwitchesCallsAreTheWaits) {
  call(0, 1, "open");
  call(20, 50, "recv");
  call(90, 100, "recv");
  const CpuFacts facts = this->facts();
  EXPECT_DOUBLE_EQ(share(facts, Activity::kNetwork), 40);
  EXPECT_DOUBLE_EQ(share(facts, Activity::kRunning), 59);
}

TEST_F(CpuFactsTest, WithoutSwitchesSamplesAreWhereThreadsRun) {
  call(0, 1, "open");
  samples(10, 20, {{"work"}});
  call(20, 50, "recv");
  samples(45, 50, {{"work"}});
  call(90, 100, "recv");
  const CpuFacts facts = this->facts();
  EXPECT_DOUBLE_EQ(share(facts, Activity::kRunning), 15);
  EXPECT_DOUBLE_EQ(share(facts, Activity::kNetwork), 35);
  EXPECT_DOUBLE_EQ(share(facts, Activity::kUnknown), 49);
}

TEST_F(CpuFactsTest, NamesOfFunctionsSayWhatTheyWaitFor) {
  using analyze::wait_of;
  EXPECT_EQ(wait_of("pthread_mutex_lock"), Activity::kLock);
  EXPECT_EQ(wait_of("__read_chk"), Activity::kInput);
  EXPECT_EQ(wait_of("pread64"), Activity::kFile);
  EXPECT_EQ(wait_of("waitpid"), Activity::kChildren);
  EXPECT_EQ(wait_of("getpid"), Activity::kUnknown);
  EXPECT_EQ(wait_of(""), Activity::kUnknown);
}

}  // namespace

}  // namespace prof::test
