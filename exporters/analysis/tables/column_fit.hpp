// Finds widths for the columns of a table on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/analysis/tables/table.hpp"

namespace prof::tables {

struct FittedColumn {
  std::size_t index;                 // in the table
  std::vector<std::string> heading;  // in lines
  std::size_t width;
  bool is_empty;
};

struct Fit {
  std::vector<FittedColumn> columns;
  std::vector<std::string> left_out;  // headings
};

// `headings`, `widths`: of each column, as it would be shown; 0 if all its cells are empty.
Fit fit_columns(const Table& table, const std::vector<std::string>& headings,
                const std::vector<std::size_t>& widths, std::size_t terminal_width);

// The text with "…" in place of its middle, if it has more than `most` characters.
std::string elide_middle(std::string_view text, std::size_t most);

}  // namespace prof::tables
