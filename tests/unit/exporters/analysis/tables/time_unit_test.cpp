#include "exporters/analysis/tables/time_unit.hpp"

#include <gtest/gtest.h>

#include "exporters/analysis/tables/table_format.hpp"

namespace prof::tables {
namespace {

TEST(TimeUnit, Names) {
  EXPECT_EQ(time_unit("nsec"), TimeUnit::kNanoseconds);
  EXPECT_EQ(time_unit("us"), TimeUnit::kMicroseconds);
  EXPECT_EQ(time_unit("milliseconds"), TimeUnit::kMilliseconds);
  EXPECT_EQ(time_unit("sec"), TimeUnit::kSeconds);
  EXPECT_FALSE(time_unit("hours"));
}

TEST(TimeUnit, OnlyTimesAreConverted) {
  Table table{{{"Time (%)", CellKind::kReal, 1},
               {"Total (ns)", CellKind::kInteger},
               {"Avg (ns)", CellKind::kReal, 1},
               {"Count", CellKind::kInteger},
               {"Name (ns)", CellKind::kText}},
              {{50.0, std::int64_t{2500}, 1250.5, std::int64_t{2}, std::string("f")},
               {50.0, Cell{}, Cell{}, std::int64_t{2}, std::string("g")}}};
  convert_times(table, TimeUnit::kMicroseconds);
  EXPECT_EQ(format_table(table, TableFormat::kCsv, "", ""),
            "Time (%),Total (us),Avg (us),Count,Name (ns)\n"
            "50.0,2.5000,1.2505,2,f\n50.0,,,2,g\n\n");
}

TEST(TimeUnit, SecondsKeepWhatMillisecondsShow) {
  Table table{{{"Total (ns)", CellKind::kInteger}}, {{std::int64_t{20002204}}}};
  convert_times(table, TimeUnit::kSeconds);
  EXPECT_EQ(format_table(table, TableFormat::kCsv, "", ""), "Total (s)\n0.0200022\n\n");
}

}  // namespace
}  // namespace prof::tables
