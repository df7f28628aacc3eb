#include "exporters/analysis/tables/row_selection.hpp"

#include <strings.h>

#include <algorithm>
#include <string_view>

#include "exporters/analysis/tables/pattern.hpp"
#include "exporters/analysis/tables/readable_units.hpp"

namespace prof::tables {

namespace {

bool starts_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && strncasecmp(text.data(), start.data(), start.size()) == 0;
}

// Returns the column with exactly that heading, with or without its unit. If there is none, returns
// the first column whose heading begins with the wanted text.
std::optional<std::size_t> find_column(const Table& table, std::string_view wanted) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string_view header = table.columns[i].header;
    if (!starts_with(header, wanted)) continue;
    if (wanted.size() == header.size() || wanted.size() == without_unit(header).size()) return i;
    if (!first) first = i;
  }
  return first;
}

bool is_empty(const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }

}  // namespace

SortOrder parse_sort_order(const std::string& words) {
  if (words.ends_with(":asc")) return {words.substr(0, words.size() - 4), true};
  if (words.ends_with(":desc")) return {words.substr(0, words.size() - 5), false};
  return {words, std::nullopt};
}

bool sort_rows(Table& table, const SortOrder& order) {
  const auto found = find_column(table, order.column);
  if (!found) return false;
  const std::size_t column = *found;
  const bool ascending = order.ascending.value_or(table.columns[column].kind == CellKind::kText);
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
    if (is_empty(a[column]) || is_empty(b[column]))
      return !is_empty(a[column]) && is_empty(b[column]);
    return ascending ? a[column] < b[column] : a[column] > b[column];
  });
  return true;
}

void keep_matching_rows(Table& table, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return;
  std::erase_if(table.rows, [&](const std::vector<Cell>& row) {
    return std::none_of(row.begin(), row.end(), [&](const Cell& cell) {
      const Text* text = std::get_if<Text>(&cell);
      return text != nullptr && matches_any(text->view(), patterns);
    });
  });
}

std::size_t limit_rows(Table& table, std::size_t most) {
  if (most == 0 || table.rows.size() <= most) return 0;
  const std::size_t gone = table.rows.size() - most;
  table.rows.resize(most);
  return gone;
}

}  // namespace prof::tables
