#include "exporters/ranks/partial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace prof::ranks {
namespace {

struct Row {
  std::string name;
  std::int64_t value;
};

std::vector<Row> made_up_rows(std::mt19937& random) {
  std::vector<Row> rows;
  const char* names[] = {"read", "write", "poll"};
  for (int i = 0; i < 3000; ++i)
    rows.push_back({names[random() % 3], static_cast<std::int64_t>(random() % 500) * 32});
  rows.push_back({"read", INT64_MAX});
  rows.push_back({"read", INT64_MAX});  // their sum needs more than 64 bits
  rows.push_back({"write", -5});
  return rows;
}

Partial partial_with(const std::vector<Row>& rows) {
  Partial partial;
  Sum& sum = partial[Unit{"7", 3, "node", ""}]["osrt_sum"];
  std::map<std::string, std::vector<std::int64_t>> values;
  for (const Row& row : rows) values[row.name].push_back(row.value);
  for (auto& [name, of_name] : values) {
    const Wide total = std::accumulate(of_name.begin(), of_name.end(), Wide{0});
    sum.groups[{name}] = {ValueTable(of_name), {total, -total}};
  }
  return partial;
}

// Merges two at a time, chosen at random, until one is left.
Partial merge_at_random(std::vector<Partial> parts, std::mt19937& random) {
  while (parts.size() > 1) {
    std::shuffle(parts.begin(), parts.end(), random);
    merge(parts[0], parts.back());
    parts.pop_back();
  }
  return parts[0];
}

TEST(Partial, AnySplitAndOrderOfMergesHasTheSameBytes) {
  std::mt19937 random(1);
  const std::vector<Row> rows = made_up_rows(random);
  const std::string whole = bytes_of(partial_with(rows));
  for (int round = 0; round < 40; ++round) {
    std::vector<std::vector<Row>> split(1 + random() % 64);
    for (const Row& row : rows) split[random() % split.size()].push_back(row);
    std::vector<Partial> parts;
    for (const auto& part : split) parts.push_back(partial_with(part));
    ASSERT_EQ(bytes_of(merge_at_random(parts, random)), whole) << split.size() << " parts";
  }
}

TEST(Partial, AUnitWithoutStatisticsStays) {
  std::mt19937 random(5);
  Partial a = partial_with(made_up_rows(random)), b;
  b[Unit{"7", 4, "node", ""}];
  Partial c = b;
  merge(c, a);
  merge(a, b);
  EXPECT_EQ(a, c);
  EXPECT_EQ(a.size(), 2U);
}

TEST(Partial, BytesAreReadAsTheyWereWritten) {
  std::mt19937 random(2);
  Partial partial = partial_with(made_up_rows(random));
  partial[Unit{"", {}, "", "a.db"}]["nvtx_sum:merge"].has_estimates = true;
  const auto read = partial_of(bytes_of(partial));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, partial);
}

TEST(Partial, DamagedBytesAreRefused) {
  std::mt19937 random(3);
  const std::string bytes = bytes_of(partial_with(made_up_rows(random)));
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_FALSE(partial_of(bytes.substr(0, size))) << size;
  EXPECT_FALSE(partial_of(bytes + "x"));
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(random());
    if (const auto read = partial_of(damaged)) bytes_of(*read);  // no crash
  }
}

// A foreign partial result may have any totals.
TEST(Partial, TotalsThatDoNotFitAreAddedInAnyOrder) {
  const Wide largest = ~(Wide{1} << 127);
  Values a{{}, {largest}}, b{{}, {1}};
  Values c = a;
  merge(c, b);
  merge(b, a);
  EXPECT_EQ(c, b);
}

TEST(ValueTable, SummaryOfATable) {
  const ValueTable table({30, 10, 10, 20});
  const stats::Durations all = table.summarise();
  EXPECT_EQ(all.count, 4);
  EXPECT_EQ(all.total, 70);
  EXPECT_EQ(all.minimum, 10);
  EXPECT_EQ(all.maximum, 30);
  EXPECT_DOUBLE_EQ(all.average, 17.5);
  EXPECT_DOUBLE_EQ(all.median, 15);
  EXPECT_NEAR(all.deviation, 9.574, 0.001);
  EXPECT_DOUBLE_EQ(ValueTable({1, 2, 9}).summarise().median, 2);
  EXPECT_EQ(ValueTable().summarise().count, 0);
  EXPECT_EQ(ValueTable({7}).summarise().deviation, 0);
}

TEST(ValueTable, TotalsAreLimitedOnlyAtTheEnd) {
  const ValueTable table({INT64_MAX, INT64_MAX, -INT64_MAX});
  EXPECT_EQ(table.summarise().total, INT64_MAX);
  EXPECT_EQ(ValueTable({INT64_MAX, 1}).summarise().total, INT64_MAX);
  EXPECT_EQ(narrow(Wide{INT64_MIN} * 2), INT64_MIN);
}

TEST(ValueTableSum, EqualsOneTableOfAllValues) {
  std::mt19937 random(4);
  std::vector<std::int64_t> all;
  ValueTableSum sum;
  for (int part = 0; part < 50; ++part) {
    std::vector<std::int64_t> values(random() % 100);
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() % 1000);
    all.insert(all.end(), values.begin(), values.end());
    sum.add(ValueTable(values));
  }
  EXPECT_EQ(sum.table(), ValueTable(all));
}

}  // namespace
}  // namespace prof::ranks
