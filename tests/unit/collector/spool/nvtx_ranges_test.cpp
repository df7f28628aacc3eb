#include "collector/spool/nvtx_ranges.hpp"

#include <gtest/gtest.h>

namespace prof::spool {
namespace {

template <class Ranges>
std::vector<int> open_in(const Ranges& ranges) {
  std::vector<int> begins;
  ranges.for_each([&](int begin) { begins.push_back(begin); });
  return begins;
}

TEST(PushedRanges, NestInEachDomain) {
  PushedRanges<int> ranges;
  ranges.push(0, 1);
  ranges.push(5, 2);
  ranges.push(0, 3);
  EXPECT_EQ(ranges.pop(0), 3);
  EXPECT_EQ(ranges.pop(0), 1);
  EXPECT_EQ(ranges.pop(0), std::nullopt);
  EXPECT_EQ(ranges.pop(7), std::nullopt);
  EXPECT_EQ(open_in(ranges), std::vector{2});
  EXPECT_FALSE(ranges.empty());
  EXPECT_EQ(ranges.pop(5), 2);
  EXPECT_TRUE(ranges.empty());
}

TEST(PushedRanges, AProgramThatNeverPopsLosesItsOuterRanges) {
  PushedRanges<int> ranges;
  for (int i = 0; i < 1'000'000; ++i) ranges.push(0, i);
  EXPECT_LE(open_in(ranges).size(), kMaxOpenRanges);
  EXPECT_EQ(ranges.pop(0), 999'999);
  EXPECT_EQ(ranges.pop(0), 999'998);
}

TEST(PushedRanges, AProgramWithEverNewDomainsIsBounded) {
  PushedRanges<int> ranges(4);
  for (int i = 0; i < 100; ++i) ranges.push(static_cast<std::uint32_t>(i), i);
  EXPECT_LE(open_in(ranges).size(), 4U);
  EXPECT_EQ(ranges.pop(99), 99);
}

TEST(PushedRanges, WithoutALimitAllStay) {
  PushedRanges<int> ranges(kAllRanges);
  for (int i = 0; i < 100'000; ++i) ranges.push(0, i);
  EXPECT_EQ(open_in(ranges).size(), 100'000U);
}

TEST(StartedRanges, PairInEitherOrder) {
  StartedRanges<int, char> ranges;
  EXPECT_EQ(ranges.start(7, 1), std::nullopt);
  EXPECT_EQ(ranges.end(8, 'b'), std::nullopt);
  EXPECT_EQ(ranges.ends(), 1U);
  EXPECT_EQ(ranges.end(7, 'a'), 1);
  EXPECT_EQ(ranges.start(8, 2), 'b');
  EXPECT_TRUE(ranges.empty());
}

TEST(StartedRanges, TheOldestGoFirst) {
  StartedRanges<int, char> ranges(2);
  for (int i = 1; i <= 3; ++i) ranges.start(static_cast<std::uint64_t>(i), i);
  EXPECT_EQ(open_in(ranges), (std::vector{2, 3}));
  for (char i = 11; i <= 13; ++i) ranges.end(static_cast<std::uint64_t>(i), i);
  EXPECT_EQ(ranges.ends(), 2U);
  EXPECT_EQ(ranges.start(13, 13), char{13});
}

}  // namespace
}  // namespace prof::spool
