#include "collector/session/control/step_pace.hpp"

#include <gtest/gtest.h>

namespace prof::session {
namespace {

using std::chrono::milliseconds;

class StepPaceTest : public ::testing::Test {
 protected:
  // Looks every 100 ms. Between two looks `steps` begin.
  void run(int looks, std::uint64_t steps) {
    for (int i = 0; i < looks; ++i) pace_.look(begun_ += steps, now_ += StepPace::kInterval);
  }

  StepPace::Clock::time_point now_{milliseconds(1000)};
  StepPace pace_{now_};
  std::uint64_t begun_ = 0;
};

TEST_F(StepPaceTest, TheFirstLookKnowsTheAverage) {
  pace_.look(50, now_ + milliseconds(500));
  EXPECT_DOUBLE_EQ(pace_.per_second(), 100);
  EXPECT_EQ(pace_.earliest(), 151U);
}

TEST_F(StepPaceTest, TheFastestHalfSecondCounts) {
  run(100, 1);
  EXPECT_NEAR(pace_.per_second(), 10, 1);
  run(10, 5);
  EXPECT_NEAR(pace_.per_second(), 50, 1);
  run(50, 0);
  EXPECT_NEAR(pace_.per_second(), 50, 1);
}

TEST_F(StepPaceTest, AStepIsNearSomeSecondsBeforeItBegins) {
  run(20, 1);
  EXPECT_TRUE(pace_.is_near(begun_ + 30));
  EXPECT_FALSE(pace_.is_near(begun_ + 40));
  EXPECT_TRUE(pace_.is_near(0));
}

TEST_F(StepPaceTest, TheFirstStepsAreNearAtOnce) {
  pace_.look(0, now_ + milliseconds(100));
  EXPECT_TRUE(pace_.is_near(0) && pace_.is_near(2));
  EXPECT_FALSE(pace_.is_near(3));
  EXPECT_EQ(pace_.earliest(), 1U);
}

TEST_F(StepPaceTest, TheNumberFallsWhenAProgramEnds) {
  run(20, 10);
  const double before = pace_.per_second();
  begun_ = 3;
  run(20, 1);
  EXPECT_EQ(pace_.begun(), 23U);
  EXPECT_DOUBLE_EQ(pace_.per_second(), before);
}

}  // namespace
}  // namespace prof::session
