// Chooses and sorts the rows of a finished table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exporters/analysis/tables/table.hpp"

namespace prof::tables {

// How --sort orders rows. `column` is a heading or the beginning of a heading; its unit may be left
// out.
struct SortOrder {
  std::string column;
  std::optional<bool> ascending;  // default: texts ascending, numbers descending
};

// Parses "COLUMN[:asc|:desc]".
SortOrder parse_sort_order(const std::string& words);

// Sorts by the column. Cells without a value come last. Returns false if the table does not have
// the column.
bool sort_rows(Table& table, const SortOrder& order);

// Keeps the rows in which at least one text matches one of the patterns.
void keep_matching_rows(Table& table, const std::vector<std::string>& patterns);

// Removes the rows after the first `most` (0: no limit). Returns the number of removed rows.
std::size_t limit_rows(Table& table, std::size_t most);

}  // namespace prof::tables
