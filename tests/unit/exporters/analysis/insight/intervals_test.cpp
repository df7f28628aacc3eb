#include "exporters/analysis/insight/intervals.hpp"

#include <gtest/gtest.h>

namespace prof::insight {
namespace {

TEST(Intervals, MergeOverlappingAndTouching) {
  EXPECT_EQ(merged({{5, 7}, {0, 2}, {2, 3}, {6, 9}, {4, 4}, {12, 11}}),
            (Intervals{{0, 3}, {5, 9}}));
  EXPECT_TRUE(merged(std::vector<Interval>()).empty());
}

TEST(Intervals, Total) { EXPECT_EQ(total({{0, 3}, {5, 9}}), 7); }

TEST(Intervals, Intersection) {
  EXPECT_EQ(intersection({{0, 4}, {6, 10}}, {{2, 7}, {9, 20}}),
            (Intervals{{2, 4}, {6, 7}, {9, 10}}));
  EXPECT_TRUE(intersection({{0, 4}}, {{4, 8}}).empty());
}

TEST(Intervals, Difference) {
  EXPECT_EQ(difference({{0, 10}, {20, 30}}, {{2, 3}, {8, 22}, {29, 40}}),
            (Intervals{{0, 2}, {3, 8}, {22, 29}}));
  EXPECT_EQ(difference({{0, 10}}, {}), (Intervals{{0, 10}}));
  EXPECT_TRUE(difference({{0, 10}}, {{0, 10}}).empty());
  // One interval may be taken from several.
  EXPECT_EQ(difference({{0, 4}, {5, 9}}, {{3, 6}}), (Intervals{{0, 3}, {6, 9}}));
}

TEST(Intervals, Covered) {
  const Intervals intervals{{0, 3}, {5, 9}};
  EXPECT_EQ(covered(intervals, 2, 6), 2);
  EXPECT_EQ(covered(intervals, 3, 5), 0);
  EXPECT_EQ(covered(intervals, -10, 100), 7);
}

TEST(Intervals, Within) {
  const Intervals intervals{{0, 3}, {5, 9}, {12, 14}};
  EXPECT_EQ(within(intervals, {2, 6}), (Intervals{{2, 3}, {5, 6}}));
  EXPECT_EQ(within(intervals, {3, 5}), Intervals{});
  EXPECT_EQ(within(intervals, {-10, 100}), intervals);
}

TEST(Intervals, OverlapsAreWhereTwoOrMoreAreAtOnce) {
  EXPECT_EQ(overlaps({{0, 10}, {10, 20}}), Intervals{});
  EXPECT_EQ(overlaps({{50, 60}, {0, 100}, {55, 70}, {90, 120}}), (Intervals{{50, 70}, {90, 100}}));
}

}  // namespace
}  // namespace prof::insight
