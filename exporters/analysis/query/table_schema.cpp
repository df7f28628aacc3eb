#include "exporters/analysis/query/table_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/text/printable.hpp"
#include "common/base/text/suggestion.hpp"
#include "common/report/schema.hpp"
#include "exporters/analysis/query/named_views.hpp"

namespace prof::query {

namespace {

const NamedView* named_view(const report::ReportReader& reader, const std::string& name) {
  for (const NamedView& view : named_views())
    if (view.name == name && has_named_view(reader, name)) return &view;
  return nullptr;
}

// Returns what the schema says about a table or, with a column, about the column. Both are comments
// in the statement that creates the table.
std::string comment_of(std::string_view table, std::string_view column = {}) {
  std::string_view statement = report::table_sql(table);
  const std::string start = column.empty() ? "  -- " : fmt::format("  {} ", column);
  while (!statement.empty()) {
    const std::size_t end = std::min(statement.find('\n'), statement.size());
    const std::string_view line = statement.substr(0, end);
    statement.remove_prefix(std::min(end + 1, statement.size()));
    if (!line.starts_with(start)) continue;
    const std::size_t comment = line.find("-- ");
    return comment == line.npos ? "" : std::string(line.substr(comment + 3));
  }
  return "";
}

// Takes the unit from the beginning of a comment: "ns", "ns; NULL for marks", "bytes".
std::string take_unit(std::string& meaning) {
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"ns", "ns"}, {"bytes", "B"}, {"Hz", "Hz"}, {"MHz", "MHz"}, {"percent", "%"}};
  for (const auto& [word, unit] : kUnits) {
    if (!meaning.starts_with(word)) continue;
    const std::string_view rest = std::string_view(meaning).substr(word.size());
    if (!rest.empty() && rest.front() != ';' && rest.front() != ',' && rest.front() != ' ')
      continue;
    meaning = rest.substr(std::min(rest.find_first_not_of(";, "), rest.size()));
    return std::string(unit);
  }
  return "";
}

ColumnInfo info_of(const std::string& table, const std::string& column) {
  ColumnInfo info{column, "", comment_of(table, column)};
  info.unit = take_unit(info.meaning);
  // Tables of nsys that prof does not write have no comments here. All times of nsys are in ns.
  if (info.meaning.empty() && info.unit.empty()) {
    if (column == "start" || column == "end" || column == "timestamp") info.unit = "ns";
    if (column == "bytes") info.unit = "B";
  }
  return info;
}

std::optional<std::int64_t> rows_of(const report::ReportReader& reader, const std::string& table) {
  auto query = reader.prepare(fmt::format("SELECT count(*) FROM {}", report::quoted(table)));
  if (!query) return std::nullopt;
  const auto row = query->step();
  return row && *row ? std::optional(query->integer(0)) : std::nullopt;
}

// Counting the rows of this view of prof takes as long as reading all call chains.
bool is_countable(const report::ReportReader& reader, const std::string& table) {
  if (table != "SAMPLING_CALLCHAINS") return true;
  return !reader.has_table("PROF_SAMPLE_CHAINS");
}

bool is_enum(std::string_view table) { return table.starts_with("ENUM_"); }

struct TableEntry {
  std::string name;
  std::optional<std::int64_t> rows;
  bool is_view;
};

std::string rows_text(const TableEntry& entry) {
  return entry.rows ? fmt::format("{} rows", *entry.rows) : "a view";
}

std::string columns_text(const report::ReportReader& reader, const std::string& table) {
  std::string text;
  for (const ColumnInfo& column : table_columns(reader, table))
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", base::printable(column.name),
                        column.unit.empty() ? "" : " ", column.unit);
  return text;
}

// Returns the named views, then the tables with rows, those with most rows first.
std::vector<TableEntry> entries_of(const report::ReportReader& reader) {
  std::vector<TableEntry> entries;
  std::size_t views = 0;
  for (const std::string& name : table_names(reader)) {
    if (is_enum(name)) continue;
    const bool is_view = named_view(reader, name) != nullptr;
    const auto rows = is_countable(reader, name) ? rows_of(reader, name) : std::nullopt;
    if (!is_view && rows == 0) continue;
    entries.push_back({name, rows, is_view});
    views += is_view ? 1 : 0;
  }
  std::stable_sort(entries.begin() + static_cast<std::ptrdiff_t>(views), entries.end(),
                   [](const TableEntry& a, const TableEntry& b) { return a.rows > b.rows; });
  return entries;
}

}  // namespace

std::vector<std::string> table_names(const report::ReportReader& reader) {
  std::vector<std::string> names;
  for (const NamedView& view : named_views())
    if (has_named_view(reader, view.name)) names.emplace_back(view.name);
  for (std::string& table : reader.tables()) names.push_back(std::move(table));
  return names;
}

std::vector<std::string> column_names(const report::ReportReader& reader,
                                      const std::string& table) {
  std::vector<std::string> names;
  auto query = reader.prepare("SELECT name FROM pragma_table_info(?)");
  if (!query) return names;
  query->bind(1, table);
  for (auto row = query->step(); row && *row; row = query->step())
    names.emplace_back(query->text(0));
  return names;
}

std::vector<ColumnInfo> table_columns(const report::ReportReader& reader,
                                      const std::string& table) {
  std::vector<ColumnInfo> columns;
  if (const NamedView* view = named_view(reader, table)) {
    for (const ViewColumn& each : view->columns)
      columns.push_back({each.name, each.unit, each.meaning});
    return columns;
  }
  for (const std::string& name : column_names(reader, table))
    columns.push_back(info_of(table, name));
  return columns;
}

std::string column_unit(const report::ReportReader& reader, const std::string& table,
                        const std::string& column) {
  const NamedView* view = named_view(reader, table);
  if (view == nullptr) return info_of(table, column).unit;
  for (const ViewColumn& each : view->columns)
    if (column == each.name) return each.unit;
  return "";
}

base::Result<std::string> schema_text(const report::ReportReader& reader, std::size_t bytes) {
  constexpr std::size_t kRest = 300;  // for the last lines
  std::string text = "Views of prof query (names resolved, pid and tid decoded):\n";
  std::string others;
  std::size_t left_out = 0;
  bool is_table = false;
  for (const TableEntry& entry : entries_of(reader)) {
    const std::string heading = !entry.is_view && !is_table ? "Tables with rows:\n" : "";
    const std::string name = base::printable(entry.name);
    const std::string line = fmt::format("{}{} ({}): {}\n", heading, name, rows_text(entry),
                                         columns_text(reader, entry.name));
    if (text.size() + others.size() + line.size() + kRest < bytes) {
      text += line;
      is_table |= !entry.is_view;
      continue;
    }
    const std::string brief =
        fmt::format("{}{} ({})", others.empty() ? "" : ", ", name, entry.rows.value_or(0));
    if (text.size() + others.size() + brief.size() + kRest < bytes)
      others += brief;
    else
      ++left_out;
  }
  if (!others.empty()) text += fmt::format("Further tables (rows): {}\n", others);
  if (left_out > 0) text += fmt::format("{} more: SELECT name FROM sqlite_master\n", left_out);
  text += "Tables ENUM_* have id, name and label of numbered values.\n";
  text += "prof query REPORT --schema TABLE says what the columns of a table mean.\n";
  return text;
}

base::Result<std::string> table_text(const report::ReportReader& reader, const std::string& table,
                                     std::size_t bytes) {
  const std::vector<std::string> known = table_names(reader);
  if (std::find(known.begin(), known.end(), table) == known.end())
    return base::fail(fmt::format("no table {}{}", table, base::suggestion(table, known)));
  const NamedView* view = named_view(reader, table);
  const std::string meaning = view != nullptr ? view->meaning : comment_of(table);
  const auto rows = is_countable(reader, table) ? rows_of(reader, table) : std::nullopt;
  std::string text =
      fmt::format("{} ({}){}{}\n", base::printable(table),
                  rows_text({table, rows, view != nullptr}), meaning.empty() ? "" : ": ", meaning);
  for (const ColumnInfo& column : table_columns(reader, table)) {
    const std::string line =
        fmt::format("  {}{}{}\n", base::printable(column.name),
                    column.unit.empty() ? "" : fmt::format(" [{}]", column.unit),
                    column.meaning.empty() ? "" : ": " + column.meaning);
    if (text.size() + line.size() > bytes) {
      text += "  …\n";
      break;
    }
    text += line;
  }
  return text;
}

}  // namespace prof::query
