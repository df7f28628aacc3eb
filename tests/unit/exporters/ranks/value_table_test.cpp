// Tables of very different values become sketches.
#include "exporters/ranks/value_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "exporters/ranks/group_sums.hpp"
#include "exporters/ranks/partial.hpp"

namespace prof::ranks {
namespace {

constexpr double kError = 0.005;
constexpr Limits kSmallLimits = {600, 50};

struct Event {
  std::string name;
  std::int64_t value;
};

// Values of all sizes under one name, few values under another one, and negative ones under a
// third.
std::vector<Event> very_different(std::mt19937_64& random, std::size_t count) {
  std::vector<Event> events;
  while (events.size() < count) {
    const auto large = static_cast<std::int64_t>(random() >> (random() % 60 + 4));
    switch (random() % 4) {
      case 0:
        events.push_back({"few", 100 + large % 7});
        break;
      case 1:
        events.push_back({"negative", 1000 - large % 50'000});
        break;
      default:
        events.push_back({"many", large});
    }
  }
  return events;
}

Partial sums_of(const std::vector<Event>& events, const Limits& limits) {
  Partial partial;
  Sum& sum = partial[Unit{"7", 3, "node", ""}]["osrt_sum"];
  std::map<std::string, std::vector<std::int64_t>> values;
  for (const Event& event : events) values[event.name].push_back(event.value);
  for (auto& [name, of_name] : values) sum.groups[{name}].table = ValueTable(of_name);
  limit(partial, limits);
  return partial;
}

const ValueTable& table_of(const Partial& partial, const std::string& name) {
  return partial.begin()->second.at("osrt_sum").groups.at({name}).table;
}

TEST(Sketch, OnlyTheMedianIsNotExact) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::int64_t> values(1 + random() % 400);
    for (std::int64_t& value : values)
      value = static_cast<std::int64_t>(random() >> (24 + random() % 40));
    const ValueTable exact(values);
    ValueTable sketch = exact;
    sketch.make_sketch();
    ASSERT_TRUE(sketch.is_sketch());
    EXPECT_TRUE(sketch.total() == exact.total());
    const stats::Durations a = exact.summarise(), b = sketch.summarise();
    EXPECT_EQ(std::tie(a.count, a.total, a.average, a.minimum, a.maximum, a.deviation),
              std::tie(b.count, b.total, b.average, b.minimum, b.maximum, b.deviation));
    EXPECT_LE(std::abs(a.median - b.median), kError * a.median);
    const MiddleBins middle = sketch.middle_bins();
    const ValueTable wanted = exact.values_in(middle);
    EXPECT_EQ(wanted.count(), middle.count);
    EXPECT_EQ(a.median, (static_cast<double>(wanted.value_at(middle.lower_place)) +
                         static_cast<double>(wanted.value_at(middle.upper_place))) /
                            2);
  }
}

TEST(Sketch, DeviationsOfLargeValuesThatDifferLittle) {
  const std::int64_t large = std::int64_t{1} << 50;
  ValueTable table({large, large + 1, large + 2, large + 3});
  EXPECT_DOUBLE_EQ(table.summarise().deviation, std::sqrt(5.0 / 3));
  table.make_sketch();
  EXPECT_DOUBLE_EQ(table.summarise().deviation, std::sqrt(5.0 / 3));
}

// The limit is crossed by no part, by some, by sums of some, or by the whole only.
TEST(Sketch, AnySplitAndOrderOfMergesHasTheSameBytes) {
  std::mt19937_64 random(2);
  int sketched = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::vector<Event> events = very_different(random, 20 + random() % 500);
    const Limits limits = {100 + random() % 2000, random() % 100};
    const Partial whole = sums_of(events, limits);
    sketched += has_sketches(whole.begin()->second.begin()->second) ? 1 : 0;
    std::vector<std::vector<Event>> split(1 + random() % 64);
    for (const Event& event : events)
      split[std::min(random() % split.size(), random() % split.size())].push_back(event);
    std::vector<Partial> parts;
    for (const auto& part : split) parts.push_back(sums_of(part, limits));
    while (parts.size() > 1) {
      std::shuffle(parts.begin(), parts.end(), random);
      merge(parts[0], parts.back(), limits);
      parts.pop_back();
    }
    ASSERT_EQ(bytes_of(parts[0]), bytes_of(whole)) << round;
  }
  EXPECT_GT(sketched, 200);
  EXPECT_LT(sketched, 800);
}

TEST(Sketch, TablesWithFewValuesStay) {
  std::mt19937_64 random(3);
  const Partial partial = sums_of(very_different(random, 1000), kSmallLimits);
  EXPECT_TRUE(table_of(partial, "many").is_sketch());
  EXPECT_FALSE(table_of(partial, "few").is_sketch());
  EXPECT_FALSE(
      has_sketches(sums_of(very_different(random, 1000), {}).begin()->second.begin()->second));
}

TEST(Sketch, TheUsualLimitIsThatOfTheBytes) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 200'000; ++i) values.push_back(i * 20'000);  // 3 bytes, and 1
  const auto limited = [&](std::size_t count) {
    Sum sum;
    sum.groups[{"a"}].table =
        ValueTable({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)});
    limit(sum);
    return has_sketches(sum);
  };
  EXPECT_FALSE(limited((512 << 10) / 4));
  EXPECT_TRUE(limited((512 << 10) / 4 + 2));
}

TEST(Sketch, BytesAreReadAsTheyWereWritten) {
  std::mt19937_64 random(4);
  const Partial partial = sums_of(very_different(random, 1000), kSmallLimits);
  const std::string bytes = bytes_of(partial);
  const auto read = partial_of(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, partial);
  const Values& values = partial.begin()->second.at("osrt_sum").groups.at({"many"});
  EXPECT_EQ(*values_of(bytes_of(values)), values);
  EXPECT_FALSE(values_of(bytes_of(values).substr(2)));  // as version 1 wrote them
  for (std::size_t size = 0; size < bytes.size(); size += 3)
    EXPECT_FALSE(partial_of(bytes.substr(0, size))) << size;
}

// Ranks come in any order; the limit of the job is crossed, or not, and the second pass is exact.
TEST(Sketch, SumsOverRanksAndASecondPass) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 100; ++round) {
    std::vector<Sum> ranks(1 + random() % 20);
    std::map<std::string, std::vector<std::int64_t>> all;
    std::vector<Sum> values;
    for (Sum& rank : ranks) {
      const auto events = very_different(random, 1 + random() % 60);
      for (const Event& event : events) all[event.name].push_back(event.value);
      values.push_back(sums_of(events, kUnlimited).begin()->second["osrt_sum"]);
      rank = sums_of(events, kSmallLimits).begin()->second["osrt_sum"];
    }
    const Limits limits = {random() % 1000, 50};
    std::vector<GroupSums::Row> rows[2];
    bool was_inexact[2];
    for (int order = 0; order < 2; ++order) {
      std::vector<std::uint32_t> places(ranks.size());
      for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = i;
      std::shuffle(places.begin(), places.end(), random);
      GroupSums sums(limits);
      for (const std::uint32_t place : places) sums.add(place, ranks[place]);
      was_inexact[order] = sums.has_inexact();
      rows[order] = sums.rows();
      for (const std::uint32_t place : places) {
        Sum wanted = values[place];
        sums.keep_wanted(wanted);
        sums.add_wanted(wanted);
      }
      EXPECT_FALSE(sums.has_inexact());
      for (const GroupSums::Row& row : sums.rows())
        EXPECT_EQ(row.summary.values.median,
                  ValueTable(all.at(row.summary.labels[0])).summarise().median);
    }
    EXPECT_EQ(was_inexact[0], was_inexact[1]);
    ASSERT_EQ(rows[0].size(), rows[1].size());
    for (std::size_t i = 0; i < rows[0].size(); ++i) {
      EXPECT_EQ(rows[0][i].summary.values.median, rows[1][i].summary.values.median);
      EXPECT_EQ(rows[0][i].total_of.size(), rows[1][i].total_of.size());
    }
  }
}

// A report that is gone, or has changed, at the second pass leaves the approximation.
TEST(Sketch, ASecondPassWithoutAllValues) {
  std::mt19937_64 random(6);
  const auto events = very_different(random, 1000);
  GroupSums sums;
  sums.add(0, sums_of(events, kSmallLimits).begin()->second["osrt_sum"]);
  EXPECT_TRUE(sums.has_inexact());
  const double before = sums.rows()[0].summary.values.median;
  EXPECT_TRUE(sums.has_inexact());
  EXPECT_EQ(sums.rows()[0].summary.values.median, before);
}

}  // namespace
}  // namespace prof::ranks
