// Each report has a program with the problem, or one like it without the problem.
#include "tests/unit/exporters/analysis/analyze/program_fixture.hpp"

namespace prof::test {

namespace {

class ExceptionsTest : public ProgramFixture {
 protected:
  const TestFrame kMain{"main"};
  const TestFrame kThrow{"__cxa_throw", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"};
  static TestFrame gcc_frame(const std::string& symbol) {
    return {symbol, "/usr/lib/libgcc_s.so.1"};
  }

  analyze::Finding find() {
    auto facts = this->facts();
    return plain(analyze::exceptions(facts));
  }
};

TEST_F(ExceptionsTest, TheFunctionThatThrowsIsNamed) {
  runs(0, 200, 9);
  samples(0, 30,
          {gcc_frame("libgcc_s.so.1+0x1"),
           gcc_frame("_Unwind_RaiseException"),
           kThrow,
           {"parse"},
           {"read"},
           kMain});
  samples(30, 40, {gcc_frame("_Unwind_Resume"), {"read"}, kMain});
  samples(40, 200, {{"use"}, kMain});
  ends(200);
  const analyze::Finding found = find();
  EXPECT_EQ(found.at_stake, 40 * kMs);
  EXPECT_EQ(
      found.evidence,
      "40 samples in the unwinder and the runtime of C++; 75 % of them thrown by parse (/bin/app)");
}

TEST_F(ExceptionsTest, FewExceptionsAreNoProblem) {
  runs(0, 1000, 9);
  samples(0, 30, {gcc_frame("_Unwind_RaiseException"), kThrow, {"parse"}, kMain});
  samples(30, 1000, {{"use"}, kMain});
  ends(1000);
  EXPECT_EQ(find().at_stake, 0);
}

TEST_F(ExceptionsTest, TheEndOfAThreadIsNoException) {
  runs(0, 100, 9);
  samples(0, 100,
          {gcc_frame("_Unwind_ForcedUnwind"), {"pthread_exit", "/usr/lib/libc.so.6"}, {"work"}});
  ends(100);
  EXPECT_EQ(find().at_stake, 0);
}

// "Show it on the timeline" has to show something.
TEST_F(ExceptionsTest, TheTimeOfManyThreadsIsThatOfAllTheirSamples) {
  for (int i = 0; i < 30; ++i) {
    runs(10 * i, 10 * i + 5, 100 + i);
    samples(10 * i, 10 * i + 1, {gcc_frame("_Unwind_RaiseException"), kThrow, {"parse"}, kMain},
            100 + i);
  }
  ends(300);
  const analyze::Finding found = find();
  ASSERT_TRUE(found.where);
  EXPECT_EQ(found.where->time.start, 1 * kMs);
  EXPECT_EQ(found.where->time.end, 291 * kMs);
  EXPECT_FALSE(found.where->thread);
}

}  // namespace

}  // namespace prof::test
