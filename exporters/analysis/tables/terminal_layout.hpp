// Tables that fit a terminal: narrow columns, readable units, colours.
#pragma once

#include <cstddef>
#include <string_view>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/analysis/tables/text_sink.hpp"

namespace prof::tables {

struct TerminalStyle {
  std::size_t width = 120;     // characters
  bool has_colour = false;     // with escape sequences
  bool readable_units = true;  // each cell with its unit; otherwise as the column has it
};

// Writes blank line, heading and table, no wider than the terminal where that is possible: headings
// take several lines, long texts are elided in the middle, and then the columns that matter least
// are left out and named below the table. `more`: how many rows were cut off.
void write_for_terminal(const Table& table, const TerminalStyle& style, std::string_view title,
                        std::string_view name, std::size_t more, const Write& write);

// The line that says how many rows are not shown. Empty if there are none.
std::string more_rows_line(std::size_t more);

}  // namespace prof::tables
