#include "exporters/analysis/stats/duration_summary.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace prof::stats {
namespace {

Durations of(std::vector<std::int64_t> values) { return summarise(values); }

TEST(Durations, SampleDeviationAsNsysPrintsIt) {
  const Durations two = of({576465, 577585});
  EXPECT_EQ(two.total, 1154050);
  EXPECT_DOUBLE_EQ(two.average, 577025);
  EXPECT_DOUBLE_EQ(two.median, 577025);
  EXPECT_NEAR(two.deviation, 792.0, 0.05);
}

TEST(Durations, OneValueDoesNotDeviate) {
  const Durations one = of({7});
  EXPECT_EQ(one.deviation, 0);
  EXPECT_EQ(one.median, 7);
  EXPECT_EQ(one.minimum, 7);
  EXPECT_EQ(one.maximum, 7);
}

TEST(Durations, SumsStopAtTheLargestNumber) {
  EXPECT_EQ(of({INT64_MAX, 1}).total, INT64_MAX);
  EXPECT_EQ(events::sum(INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(events::sum(2, -3), -1);
}

TEST(Durations, MedianOfEvenAndOdd) {
  EXPECT_DOUBLE_EQ(of({5, 1, 3}).median, 3);
  EXPECT_DOUBLE_EQ(of({5, 1, 3, 100}).median, 4);
  EXPECT_DOUBLE_EQ(of({1, 1, 1, 2}).median, 1);
}

// Of many values the median is selected near the middle of a sample.
TEST(Durations, MedianOfManyIsExact) {
  for (const std::size_t count : {999U, 1000U, 4001U, 50000U}) {
    for (const std::int64_t modulus : {2, 1000, 1000003}) {
      std::vector<std::int64_t> values;
      for (std::size_t i = 0; i < count; ++i)
        values.push_back(static_cast<std::int64_t>(i * i * 7919 + i) % modulus);
      auto sorted = values;
      std::sort(sorted.begin(), sorted.end());
      const auto middle = static_cast<double>(sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
      EXPECT_DOUBLE_EQ(of(values).median, middle) << count << " values modulo " << modulus;
    }
  }
}

// Every value that the sample takes is small.
TEST(Durations, MedianWhereTheSampleMisleads) {
  std::vector<std::int64_t> values(2560, 1000000);
  for (std::size_t i = 0; i < values.size(); i += 10) values[i] = static_cast<std::int64_t>(i);
  EXPECT_DOUBLE_EQ(of(values).median, 1000000);
}

TEST(Durations, NoneIsZero) { EXPECT_EQ(of({}).count, 0); }

TEST(DurationGroups, AreSortedByTotalThenName) {
  DurationGroups<std::string> groups;
  groups.add("small", 10);
  groups.add("b", 20);
  groups.add("a", 20);
  groups.add("big", 25);
  groups.add("big", 25);
  std::vector<std::string> names;
  double percent = 0;
  for (const auto& group : groups.summarise()) {
    names.push_back(group.key);
    percent += group.percent;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"big", "a", "b", "small"}));
  EXPECT_NEAR(percent, 100, 1e-9);
}

TEST(SummaryTable, EqualTotalsAreInTheOrderOfTheirNames) {
  DurationGroups<std::int64_t> groups;
  groups.add(1, 20);
  groups.add(2, 20);
  groups.add(3, 30);
  const std::vector<std::string> names = {"", "b", "a", "z"};
  const tables::Table table = summary_table(groups, "Count", {"Name"}, [&](std::int64_t key) {
    return std::vector<std::string>{names[static_cast<std::size_t>(key)]};
  });
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0].back(), tables::Cell{std::string("z")});
  EXPECT_EQ(table.rows[1].back(), tables::Cell{std::string("a")});
  EXPECT_EQ(table.rows[2].back(), tables::Cell{std::string("b")});
}

TEST(WeightedGroups, CountsAndTimesAreThoseOfAllEvents) {
  WeightedGroups<int> groups;
  groups.add(1, 10, 3);
  groups.add(1, 30, 1);
  groups.add(2, 5, 1);
  const auto found = groups.summarise();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].durations.count, 4);
  EXPECT_EQ(found[0].durations.total, 60);
  EXPECT_EQ(found[0].durations.average, 15);
  EXPECT_EQ(found[0].durations.median, 10);
  EXPECT_EQ(found[0].durations.minimum, 10);
  EXPECT_EQ(found[0].durations.maximum, 30);
  EXPECT_EQ(found[0].recorded, 2);
  // The deviation is 10; one event stands for three: 3 * 2 pairs.
  EXPECT_NEAR(found[0].error, 100 * 10 * std::sqrt(6) / 60, 1e-9);
  EXPECT_EQ(found[1].error, 0);
}

}  // namespace
}  // namespace prof::stats
