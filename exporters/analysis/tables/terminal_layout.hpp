// Writes tables that fit a terminal: narrow columns, readable units, colors.
#pragma once

#include <cstddef>
#include <string_view>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/analysis/tables/text_sink.hpp"

namespace prof::tables {

struct TerminalStyle {
  std::size_t width = 120;  // characters
  bool has_color = false;   // use escape sequences for colors
  bool readable_units =
      true;  // print each number with a suitable unit; false: in the unit of its column
};

// Writes a blank line, the heading and the table, no wider than the terminal where that is
// possible. Headings take several lines, then long texts are elided in the middle, and then the
// least important columns are left out and named below the table. `more` is the number of rows that
// were cut off.
void write_for_terminal(const Table& table, const TerminalStyle& style, std::string_view title,
                        std::string_view name, std::size_t more, const Write& write);

// Returns the line that says how many rows are not shown. Empty if all rows are shown.
std::string more_rows_line(std::size_t more);

}  // namespace prof::tables
