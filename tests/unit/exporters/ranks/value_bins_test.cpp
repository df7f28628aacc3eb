#include "exporters/ranks/value_bins.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace prof::ranks {
namespace {

TEST(ValueBins, TheMappingIsTheSameInAllVersions) {
  const std::pair<std::int64_t, std::int64_t> known[] = {{0, 0},
                                                         {1, 1},
                                                         {2, 71},
                                                         {3, 111},
                                                         {1000, 698},
                                                         {123'456, 1184},
                                                         {1'000'000, 1396},
                                                         {INT64_MAX, 4410},
                                                         {INT64_MIN, -4411}};
  for (const auto& [value, bin] : known) EXPECT_EQ(bin_of(value), bin) << value;
  std::uint64_t hash = 0;
  for (std::uint64_t value = 1; value < (std::uint64_t{1} << 62); value += value / 300 + 1)
    hash = hash * 31 + static_cast<std::uint64_t>(bin_of(static_cast<std::int64_t>(value)));
  EXPECT_EQ(hash, 4'629'479'345'278'843'511U);
}

TEST(ValueBins, TheMiddleIsNearEachValue) {
  std::int64_t last = 0;
  for (std::int64_t value = 1; value > 0 && value < INT64_MAX / 2; value += value / 997 + 1) {
    const std::int64_t bin = bin_of(value);
    ASSERT_GE(bin, last) << value;
    last = bin;
    ASSERT_EQ(bin_of(-value), -bin);
    const auto exact = static_cast<double>(value);
    ASSERT_LE(std::abs(middle_of(bin) - exact), 0.005 * exact) << value;
    ASSERT_EQ(middle_of(-bin), -middle_of(bin));
    if (value < 100) {
      ASSERT_EQ(middle_of(bin), exact);
    }
  }
}

}  // namespace
}  // namespace prof::ranks
