#include "exporters/analysis/tables/terminal_layout.hpp"

#include <gtest/gtest.h>

#include "exporters/analysis/tables/column_fit.hpp"
#include "exporters/analysis/tables/pattern.hpp"
#include "exporters/analysis/tables/readable_units.hpp"
#include "exporters/analysis/tables/row_selection.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::tables {
namespace {

const ColumnSpec kTime = {"Total Time (ns)", CellKind::kInteger};

TEST(ReadableUnits, ThreeDigits) {
  const auto text = [](std::int64_t value) { return *readable_text(value, Measure::kDuration); };
  EXPECT_EQ(text(0), "0 ns");
  EXPECT_EQ(text(999), "999 ns");
  EXPECT_EQ(text(1000), "1.00 us");
  EXPECT_EQ(text(12345), "12.3 us");
  EXPECT_EQ(text(999'499), "999 us");
  EXPECT_EQ(text(999'999), "1.00 ms");
  EXPECT_EQ(text(-2'500'000), "-2.50 ms");
  EXPECT_EQ(text(5'000'000'000'000), "5000 s");
  EXPECT_EQ(*readable_text(std::int64_t{34603008}, Measure::kBytes), "34.6 MB");
  EXPECT_EQ(*readable_text(std::int64_t{452851461}, Measure::kMoment), "0.452851 s");
  EXPECT_FALSE(readable_text(Cell{}, Measure::kDuration));
}

TEST(ReadableUnits, ByHeading) {
  EXPECT_EQ(measure_of(kTime), Measure::kDuration);
  EXPECT_EQ(without_unit(kTime.header), "Total Time");
  EXPECT_EQ(measure_of({"Start (ns)", CellKind::kInteger}), Measure::kMoment);
  EXPECT_EQ(measure_of({"Bytes Read", CellKind::kInteger}), Measure::kBytes);
  EXPECT_EQ(measure_of({"Bytes (MB)", CellKind::kReal}), Measure::kOther);
  EXPECT_EQ(measure_of({"Num Calls", CellKind::kInteger}), Measure::kOther);
}

TEST(ColumnFit, ElidesTheMiddle) {
  EXPECT_EQ(elide_middle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(elide_middle("abcdefghij", 5), "ab…ij");
  EXPECT_EQ(elide_middle("äöüßäöüß", 4), "äö…ß");
}

Table sums() {
  Table table{{{"Time (%)", CellKind::kReal, 1},
               {"Total Time (ns)", CellKind::kInteger},
               {"Num Calls", CellKind::kInteger},
               {"Med (ns)", CellKind::kInteger},
               {"StdDev (ns)", CellKind::kInteger},
               {"Name", CellKind::kText}},
              {}};
  for (std::int64_t i = 0; i < 4; ++i)
    table.rows.push_back({60.0 - 20.0 * static_cast<double>(i), 1000 * i, i, i, i,
                          Text(std::string(80, 'n') + std::to_string(i))});
  return table;
}

std::string shown(const Table& table, const TerminalStyle& style, std::size_t more = 0) {
  std::string text;
  write_for_terminal(table, style, "Sums", "osrt_sum", more,
                     [&](std::string_view piece) { text += piece; });
  return text;
}

std::size_t widest_line(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    width = std::max(width, display_width(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return width;
}

TEST(TerminalLayout, FitsTheWidth) {
  const std::string wide = shown(sums(), {120});
  EXPECT_LE(widest_line(wide), 120U);
  EXPECT_EQ(wide.find('\x1b'), std::string::npos);
  EXPECT_NE(wide.find("StdDev"), std::string::npos);
  EXPECT_NE(wide.find(std::string(80, 'n')), std::string::npos);
  const std::string narrow = shown(sums(), {60}, 7);
  EXPECT_LE(widest_line(narrow), 60U);
  EXPECT_NE(narrow.find("nn…nn"), std::string::npos);
  EXPECT_NE(narrow.find("Columns that do not fit: StdDev"), std::string::npos);
  EXPECT_NE(narrow.find(" … and 7 more (--rows 0 shows all)"), std::string::npos);
}

TEST(TerminalLayout, ColorsLargeShares) {
  const std::string text = shown(sums(), {120, true});
  EXPECT_NE(text.find("\x1b[31m60.0\x1b[0m"), std::string::npos);
  EXPECT_NE(text.find("\x1b[33m40.0\x1b[0m"), std::string::npos);
  EXPECT_NE(text.find(" 0.0"), std::string::npos);
}

TEST(Patterns, GlobsAndWords) {
  EXPECT_TRUE(matches_pattern("pthread_mutex_lock", "mutex"));
  EXPECT_TRUE(matches_pattern("pthread_mutex_lock", "*LOCK"));
  EXPECT_FALSE(matches_pattern("pthread_mutex_lock", "lock*"));
  EXPECT_TRUE(matches_pattern("a\\b", "\\"));
  EXPECT_TRUE(matches_pattern("read", "[pr]ead"));
  EXPECT_FALSE(matches_any("read", {"write", "pread"}));
}

TEST(RowSelection, SortsByTheBeginningOfAHeading) {
  Table table = sums();
  EXPECT_TRUE(sort_rows(table, parse_sort_order("total")));
  EXPECT_EQ(std::get<std::int64_t>(table.rows[0][1]), 3000);
  EXPECT_TRUE(sort_rows(table, parse_sort_order("num calls:asc")));
  EXPECT_EQ(std::get<std::int64_t>(table.rows[0][1]), 0);
  EXPECT_TRUE(sort_rows(table, parse_sort_order("NAME:desc")));
  EXPECT_EQ(std::get<std::int64_t>(table.rows[0][1]), 3000);
  EXPECT_FALSE(sort_rows(table, parse_sort_order("bytes")));
}

TEST(RowSelection, KeepsAndLimits) {
  Table table = sums();
  keep_matching_rows(table, {"*2", "*3"});
  EXPECT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(limit_rows(table, 0), 0U);
  EXPECT_EQ(limit_rows(table, 1), 1U);
  EXPECT_EQ(table.rows.size(), 1U);
}

}  // namespace
}  // namespace prof::tables
