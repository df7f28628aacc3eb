#include "exporters/analysis/diff/changes.hpp"

#include <gtest/gtest.h>

namespace prof::diff {
namespace {

const Category& kKernel = *find_category("kernel");
const Category& kCopy = *find_category("copy");

std::vector<Change> joined(const Totals& before, const Totals& after) {
  std::vector<Change> changes;
  join(kKernel, before, after, changes);
  return changes;
}

TEST(Changes, JoinKeepsNamesOfEither) {
  const auto changes = joined({{"a", {1, 10}}, {"b", {2, 20}}}, {{"b", {2, 25}}, {"c", {3, 30}}});
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].name, "a");
  EXPECT_STREQ(status(changes[0]), "removed");
  EXPECT_EQ(changes[0].difference(), -10);
  EXPECT_STREQ(status(changes[1]), "changed");
  EXPECT_EQ(changes[1].difference(), 5);
  EXPECT_STREQ(status(changes[2]), "added");
  EXPECT_EQ(changes[2].difference(), 30);
}

TEST(Changes, UnchangedNeedsEqualCounts) {
  EXPECT_STREQ(status(joined({{"a", {1, 10}}}, {{"a", {1, 10}}})[0]), "unchanged");
  EXPECT_STREQ(status(joined({{"a", {1, 10}}}, {{"a", {2, 10}}})[0]), "changed");
}

TEST(Changes, SmallIsLessThanThePercentageOfTheLargerTotal) {
  const Totals before = {{"exactly", {1, 1000}}, {"less", {1, 1000}}, {"none", {1, 0}}};
  const Totals after = {{"exactly", {1, 990}}, {"less", {1, 991}}, {"none", {1, 0}}};
  auto changes = joined(before, after);
  EXPECT_EQ(remove_small(changes, 1), 2u);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].name, "exactly");
  changes = joined(before, after);
  EXPECT_EQ(remove_small(changes, 0), 0u);
}

TEST(Changes, AddedAndRemovedAreNeverSmall) {
  auto changes = joined({{"a", {1, 0}}}, {{"b", {1, 0}}});
  EXPECT_EQ(remove_small(changes, 100), 0u);
}

TEST(Changes, LargestFirstWhateverTheSign) {
  std::vector<Change> changes;
  join(kCopy, {{"b", {1, 9}}, {"a", {1, 9}}}, {}, changes);
  join(kKernel, {{"z", {1, 1}}}, {{"z", {1, 10}}, {"y", {1, 50}}}, changes);
  sort_largest_first(changes);
  std::string order;
  for (const Change& change : changes) order += change.name;
  EXPECT_EQ(order, "yzab");
}

TEST(Changes, AsideComeLast) {
  const Category& calls = *find_category("osrt");
  std::vector<Change> changes;
  join(calls, {{"poll", {1, 100, 90}}, {"read", {1, 100, 40}}},
       {{"poll", {1, 900, 700}}, {"read", {1, 120, 50}}}, changes);
  sort_largest_first(changes);
  EXPECT_EQ(changes[0].name, "read");
  EXPECT_STREQ(status(changes[0]), "changed");
  EXPECT_STREQ(status(changes[1]), "waiting");
}

TEST(Changes, AreRankedByWork) {
  std::vector<Change> changes;
  // Most of the difference of "poll" is of idle threads. In "read" a thread is idle in one only.
  join(*find_category("osrt"),
       {{"poll", {1, 100, 0}}, {"read", {1, 850, 0}}, {"write", {1, 100, 0}}},
       {{"poll", {1, 190, 80}}, {"read", {1, 865, 300}}, {"write", {1, 120, 0}}}, changes);
  sort_largest_first(changes);
  std::string order;
  for (const Change& change : changes) order += change.name[0];
  EXPECT_EQ(order, "wrp");
}

TEST(Changes, NumbersAreMergedOverBothReports) {
  Totals before = {{"batch 7", {1, 40}}, {"step 1", {1, 1}}};
  Totals after = {{"batch 1", {1, 10}}, {"batch 2", {2, 20}}, {"conv2d", {1, 1}}};
  merge_numbers(before, after);
  ASSERT_EQ(before.size(), 2u);
  EXPECT_EQ(before.at("batch #").time, 40);
  EXPECT_EQ(before.at("step 1").time, 1);
  EXPECT_EQ(after.at("batch #").count, 3);
  EXPECT_EQ(after.at("batch #").time, 30);
  EXPECT_EQ(after.at("conv2d").time, 1);
}

}  // namespace
}  // namespace prof::diff
