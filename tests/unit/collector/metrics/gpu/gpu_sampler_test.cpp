#include "collector/metrics/gpu/gpu_sampler.hpp"

#include <gtest/gtest.h>

namespace prof::metrics {
namespace {

std::int64_t value_of(double value) { return static_cast<std::int64_t>(rounded(value).bits); }

TEST(GpuSamplerTest, SmallValuesDoNotBecomeZero) {
  EXPECT_EQ(value_of(0), 0);
  EXPECT_EQ(value_of(1e-9), 1);
  EXPECT_EQ(value_of(0.4), 1);
  EXPECT_EQ(value_of(3.125), 3);
  EXPECT_EQ(value_of(66.67), 67);
  EXPECT_EQ(value_of(-8272335.2), -8272335);
  EXPECT_EQ(value_of(1979976250), 1979976250);
}

}  // namespace
}  // namespace prof::metrics
