// Chooses and sorts the rows of a finished table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exporters/analysis/tables/table.hpp"

namespace prof::tables {

// How --sort orders rows. `column`: a heading, or its beginning; its unit may be left out.
struct SortOrder {
  std::string column;
  std::optional<bool> ascending;  // default: texts ascending, numbers descending
};

// Parses "COLUMN[:asc|:desc]".
SortOrder parse_sort_order(const std::string& words);

// Sorts by the column. False if the table does not have it. Cells without a value come last.
bool sort_rows(Table& table, const SortOrder& order);

// Keeps the rows in which a text matches one of the patterns.
void keep_matching_rows(Table& table, const std::vector<std::string>& patterns);

// Cuts the table off after `most` rows (0: no limit). Returns how many rows are gone.
std::size_t limit_rows(Table& table, std::size_t most);

}  // namespace prof::tables
