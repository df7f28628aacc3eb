#include "exporters/analysis/stats/user_report.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace prof::stats {

using tables::CellKind;

namespace {

constexpr int kDecimals = 3;  // of real numbers

std::string title_of(const std::string& query, const std::string& path) {
  constexpr std::string_view kComment = "--";
  if (!query.starts_with(kComment)) return std::filesystem::path(path).stem().string();
  const std::size_t start = query.find_first_not_of(" -");
  return query.substr(std::min(start, query.size()), query.find('\n') - start);
}

tables::Cell cell(const report::Statement& row, int column) {
  switch (row.type(column)) {
    case SQLITE_NULL:
      return {};
    case SQLITE_INTEGER:
      return row.integer(column);
    case SQLITE_FLOAT:
      return row.real(column);
    default:
      return std::string(row.text(column));
  }
}

CellKind kind_of(const tables::Cell& cell) {
  if (std::holds_alternative<std::int64_t>(cell)) return CellKind::kInteger;
  return std::holds_alternative<double>(cell) ? CellKind::kReal : CellKind::kText;
}

// A column is text if one of its values is text, else real if one of its values is real.
void settle_kinds(tables::Table& table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    CellKind kind = CellKind::kInteger;
    bool has_value = false;
    for (const auto& row : table.rows) {
      if (std::holds_alternative<std::monostate>(row[i])) continue;
      has_value = true;
      kind = std::max(kind, kind_of(row[i]));
    }
    table.columns[i].kind = has_value ? kind : CellKind::kText;
    table.columns[i].decimals = kDecimals;
    if (kind != CellKind::kReal) continue;
    for (auto& row : table.rows)
      if (const auto* integer = std::get_if<std::int64_t>(&row[i]))
        row[i] = static_cast<double>(*integer);
  }
}

}  // namespace

base::Result<UserReport> UserReport::read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return base::fail_errno("cannot read " + path, errno);
  return UserReport{path, title_of(text.str(), path), text.str()};
}

base::Result<tables::Table> UserReport::run(const report::ReportReader& reader) const {
  const auto fail = [&](const base::Error& error) {
    return base::fail(path + ": " + error.message);
  };
  auto statement = report::Statement::prepare(reader.database(), query);
  if (!statement) return fail(statement.error());
  tables::Table table;
  for (int i = 0; i < statement->columns(); ++i)
    table.columns.push_back({statement->column_name(i), CellKind::kText});
  if (table.columns.empty()) return base::fail(path + " is not a query: it has no columns");
  auto row = statement->step();
  for (; row && *row; row = statement->step()) {
    auto& cells = table.rows.emplace_back();
    for (int i = 0; i < statement->columns(); ++i) cells.push_back(cell(*statement, i));
  }
  if (!row) return fail(row.error());
  settle_kinds(table);
  return table;
}

}  // namespace prof::stats
