#include "exporters/analysis/insight/metrics/power_curve.hpp"

#include <gtest/gtest.h>

namespace prof::insight {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// 100 W, then nothing is known for a second, then 300 W for two.
PowerCurve curve() { return PowerCurve({{{0, kSecond}, 100}, {{2 * kSecond, 4 * kSecond}, 300}}); }

TEST(PowerCurve, IsZeroWhereNothingIsKnown) {
  EXPECT_EQ(curve().over({kSecond, 2 * kSecond}).time, 0);
  EXPECT_EQ(curve().over({5 * kSecond, 6 * kSecond}).time, 0);
  EXPECT_EQ(PowerCurve({}).all().time, 0);
}

TEST(PowerCurve, CountsThePartsOfATime) {
  const Energy energy = curve().over({kSecond / 2, 3 * kSecond});
  EXPECT_EQ(energy.time, kSecond / 2 + kSecond);
  EXPECT_DOUBLE_EQ(energy.joules, 50 + 300);
}

TEST(PowerCurve, SumsUpTimes) {
  const Energy energy =
      curve().over(Intervals{{0, kSecond / 10}, {3 * kSecond, 3 * kSecond + kSecond / 10}});
  EXPECT_DOUBLE_EQ(energy.joules, 40);
  EXPECT_DOUBLE_EQ(energy.watts(), 200);
  EXPECT_DOUBLE_EQ(curve().all().joules, 700);
}

}  // namespace
}  // namespace prof::insight
