#include "exporters/analysis/events/packed_integers.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace prof::events {
namespace {

void expect_kept(const std::vector<std::int64_t>& values) {
  PackedIntegers packed;
  for (const std::int64_t each : values) packed.push_back(each);
  ASSERT_EQ(packed.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(packed[i], values[i]) << i;
}

TEST(PackedIntegers, KeepNumbersOfAnyWidth) {
  std::mt19937_64 random(1);
  for (int bits = 0; bits <= 64; ++bits) {
    std::vector<std::int64_t> values;
    for (int i = 0; i < 2500; ++i) {
      const std::uint64_t distance = bits == 0 ? 0 : random() >> (64 - bits);
      values.push_back(static_cast<std::int64_t>(distance - 12345));
    }
    expect_kept(values);
  }
}

TEST(PackedIntegers, KeepTheLargestAndTheSmallestNumber) {
  std::vector<std::int64_t> values(3000, 7);
  values[5] = std::numeric_limits<std::int64_t>::max();
  values[6] = std::numeric_limits<std::int64_t>::min();
  values[2999] = std::numeric_limits<std::int64_t>::min();
  expect_kept(values);
}

TEST(PackedIntegers, CanBeReadWhileTheyAreAdded) {
  PackedIntegers packed;
  for (std::int64_t i = 0; i < 5000; ++i) {
    packed.push_back(i * i);
    ASSERT_EQ(packed[static_cast<std::size_t>(i)], i * i);
    ASSERT_EQ(packed[static_cast<std::size_t>(i / 2)], (i / 2) * (i / 2));
  }
}

}  // namespace
}  // namespace prof::events
