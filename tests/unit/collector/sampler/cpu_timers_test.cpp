#include "collector/sampler/cpu_timers.hpp"

#include <gtest/gtest.h>

namespace prof::sampler {
namespace {

constexpr std::uint64_t kTick = 4'000'000;

TEST(TimerPeriod, IsAtLeastALittleLessThanATick) {
  const std::uint64_t period = timer_period({.frequency = 1000}, kTick);
  EXPECT_LT(period, kTick);
  EXPECT_GT(period, kTick * 9 / 10);
}

TEST(TimerPeriod, IsAsRequestedIfTheKernelCanKeepIt) {
  EXPECT_EQ(timer_period({.frequency = 50}, kTick), 20'000'000U);
  EXPECT_EQ(timer_period({.period = 7'000'000}, kTick), 7'000'000U);
}

TEST(KernelTick, IsBetweenATenthOfAMillisecondAndAFiftiethOfASecond) {
  EXPECT_GE(kernel_tick(), 100'000U);
  EXPECT_LE(kernel_tick(), 20'000'000U);
}

}  // namespace
}  // namespace prof::sampler
