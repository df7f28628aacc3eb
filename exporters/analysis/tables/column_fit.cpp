#include "exporters/analysis/tables/column_fit.hpp"

#include <algorithm>

#include "common/base/utf8.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::tables {

namespace {

constexpr std::size_t kGap = 2;  // characters between columns; also before the first column
constexpr std::size_t kReadableText =
    36;  // the minimum width of a text column while columns can be left out
constexpr std::size_t kShortestText = 12;

// The columns that are left out first, least useful first. After them the last columns are left
// out.
constexpr std::string_view kDispensable[] = {"StdDev",   "Med", "Min",         "T-Pri",
                                             "GreenCtx", "Ctx", "Involuntary", "Voluntary"};
constexpr std::size_t kIndispensable = 2;  // number of first columns that always stay

std::vector<std::string> wrapped(std::string_view heading, std::size_t width) {
  std::vector<std::string> lines;
  while (!heading.empty()) {
    const std::string_view word = heading.substr(0, heading.find(' '));
    heading.remove_prefix(std::min(heading.size(), word.size() + 1));
    if (!lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width)
      lines.back().append(" ").append(word);
    else
      lines.emplace_back(word);
  }
  return lines;
}

std::size_t widest(const std::vector<std::string>& lines) {
  std::size_t width = 1;
  for (const std::string& line : lines) width = std::max(width, display_width(line));
  return width;
}

std::size_t total_width(const std::vector<FittedColumn>& columns) {
  std::size_t total = 1;
  for (const FittedColumn& column : columns) total += column.width + kGap;
  return total - std::min(total, kGap);
}

// Takes characters from the widest text columns until the table fits.
bool shrink_texts(const Table& table, std::vector<FittedColumn>& columns, std::size_t width,
                  std::size_t least) {
  for (std::size_t total = total_width(columns); total > width; total = total_width(columns)) {
    FittedColumn* longest = nullptr;
    std::size_t second = least;
    for (FittedColumn& column : columns) {
      if (table.columns[column.index].kind != CellKind::kText) continue;
      if (longest == nullptr || column.width > longest->width) {
        if (longest != nullptr) second = std::max(second, longest->width);
        longest = &column;
      } else {
        second = std::max(second, column.width);
      }
    }
    if (longest == nullptr || longest->width <= least) return false;
    const std::size_t step = std::max<std::size_t>(1, longest->width - second);
    longest->width -= std::min({step, total - width, longest->width - least});
  }
  return true;
}

// Returns the index in `columns` of the least useful column that is not a text, or columns.size()
// if all of them are needed.
std::size_t least_needed(const Table& table, const std::vector<FittedColumn>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].is_empty && columns.size() > 1) return i;
  for (const std::string_view word : kDispensable)
    for (std::size_t i = kIndispensable; i < columns.size(); ++i)
      if (table.columns[columns[i].index].header.find(word) != std::string::npos) return i;
  for (std::size_t i = columns.size(); i-- > kIndispensable;)
    if (table.columns[columns[i].index].kind != CellKind::kText) return i;
  return columns.size();
}

// Returns the index in `columns` of the least useful text column. The last text column is usually
// the name, so it stays.
std::size_t least_needed_text(const Table& table, const std::vector<FittedColumn>& columns) {
  bool is_name = true;
  for (std::size_t i = columns.size(); i-- > kIndispensable;) {
    if (table.columns[columns[i].index].kind != CellKind::kText) continue;
    if (!is_name) return i;
    is_name = false;
  }
  return columns.size();
}

}  // namespace

Fit fit_columns(const Table& table, const std::vector<std::string>& headings,
                const std::vector<std::size_t>& widths, std::size_t terminal_width) {
  Fit fit;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    auto heading = wrapped(headings[i], widths[i]);
    const std::size_t width = std::max(widths[i], widest(heading));
    fit.columns.push_back({i, std::move(heading), width, widths[i] == 0});
  }
  while (true) {
    std::vector<FittedColumn> columns = fit.columns;
    std::size_t unneeded = least_needed(table, columns);
    const std::size_t shortest = unneeded < columns.size() ? kReadableText : kShortestText;
    const bool fits = shrink_texts(table, columns, terminal_width, shortest);
    if (unneeded == columns.size()) unneeded = least_needed_text(table, columns);
    if (fits || unneeded == columns.size()) {
      fit.columns = std::move(columns);
      return fit;
    }
    fit.left_out.push_back(headings[fit.columns[unneeded].index]);
    fit.columns.erase(fit.columns.begin() + static_cast<std::ptrdiff_t>(unneeded));
  }
}

std::string elide_middle(std::string_view text, std::size_t most) {
  const std::size_t length = display_width(text);
  if (length <= most) return std::string(text);
  const std::size_t kept = most - 1;
  const std::size_t tail = kept / 2;
  std::string result;
  std::size_t character = 0;
  for (std::size_t at = 0; at < text.size(); ++character) {
    std::size_t end = at + 1;
    while (end < text.size() && base::continues_character(text[end])) ++end;
    if (character == kept - tail) result += "…";
    if (character < kept - tail || character >= length - tail) result += text.substr(at, end - at);
    at = end;
  }
  return result;
}

}  // namespace prof::tables
