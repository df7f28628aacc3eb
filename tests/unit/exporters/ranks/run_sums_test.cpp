#include "exporters/ranks/run_sums.hpp"

#include <gtest/gtest.h>

#include "exporters/analysis/tables/table_format.hpp"

namespace prof::ranks {
namespace {

Partial partial_with(std::int64_t rank, const std::string& node, std::vector<std::int64_t> values) {
  Partial partial;
  partial[Unit{"", rank, node, ""}]["osrt_sum"].groups[{"read"}] = {ValueTable(std::move(values)),
                                                                    {}};
  return partial;
}

// Three ranks with totals of 40, 100 and 100 ns.
std::string table_by(By by) {
  RunSums sums(by);
  sums.add(partial_with(2, "b", {100}));
  sums.add(partial_with(0, "a", {10, 30}));
  sums.add(partial_with(1, "a", {50, 50}));
  return tables::format_table(sums.table(*request_of("osrt_sum")), tables::TableFormat::kCsv, "",
                              "");
}

constexpr const char* kColumns =
    "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),";

TEST(RunSums, OneRowOfAllRanks) {
  EXPECT_EQ(table_by(By::kRun), std::string(kColumns) +
                                    "Ranks,Max Rank,Spread (%),Name\n"
                                    "100.0,240,5,48.0,50.0,10,100,33.5,3,1,75.0,read\n\n");
}

TEST(RunSums, RowsForEachNode) {
  EXPECT_EQ(table_by(By::kNode), std::string(kColumns) +
                                     "Node,Ranks,Max Rank,Spread (%),Name\n"
                                     "100.0,140,4,35.0,40.0,10,50,19.1,a,2,1,85.7,read\n"
                                     "100.0,100,1,100.0,100.0,100,100,0.0,b,1,2,0.0,read\n\n");
}

TEST(RunSums, RowsForEachRank) {
  EXPECT_EQ(table_by(By::kRank), std::string(kColumns) +
                                     "Rank,Name\n"
                                     "100.0,40,2,20.0,20.0,10,30,14.1,0,read\n"
                                     "100.0,100,2,50.0,50.0,50,50,0.0,1,read\n"
                                     "100.0,100,1,100.0,100.0,100,100,0.0,2,read\n\n");
}

// Processes without a rank count in the sums, and not as ranks.
TEST(RunSums, EventsWithoutARank) {
  RunSums sums(By::kRun);
  Partial partial = partial_with(0, "a", {10});
  partial[Unit{"", {}, "a", "x.db"}]["osrt_sum"].groups[{"read"}] = {ValueTable({90}), {}};
  sums.add(partial);
  const tables::Table table = sums.table(*request_of("osrt_sum"));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][1], tables::Cell{std::int64_t{100}});
  EXPECT_EQ(table.rows[0][8], tables::Cell{std::int64_t{1}});
}

TEST(RunSums, NamesWhoseValuesAreEstimates) {
  RunSums sums(By::kRun);
  Partial partial;
  partial[Unit{"7", 3, "a", ""}]["osrt_sum"].has_estimates = true;
  sums.add(partial);
  EXPECT_EQ(sums.estimated("osrt_sum"), std::vector<std::string>{"rank 3 of job 7"});
  EXPECT_TRUE(sums.estimated("nvtx_sum").empty());
}

}  // namespace
}  // namespace prof::ranks
