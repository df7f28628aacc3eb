// Finds widths for the columns of a table on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/analysis/tables/table.hpp"

namespace prof::tables {

struct FittedColumn {
  std::size_t index;                 // index in the table
  std::vector<std::string> heading;  // lines of the heading
  std::size_t width;
  bool is_empty;
};

struct Fit {
  std::vector<FittedColumn> columns;
  std::vector<std::string> left_out;  // headings of the columns that were left out
};

// Chooses columns and widths. `headings` and `widths` describe each column as it would be shown
// without a limit; the width is 0 if all cells of the column are empty.
Fit fit_columns(const Table& table, const std::vector<std::string>& headings,
                const std::vector<std::size_t>& widths, std::size_t terminal_width);

// Returns the text, with "…" in place of its middle if it has more than `most` characters.
std::string elide_middle(std::string_view text, std::size_t most);

}  // namespace prof::tables
