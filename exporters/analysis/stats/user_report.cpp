#include "exporters/analysis/stats/user_report.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "exporters/analysis/tables/column_kinds.hpp"

namespace prof::stats {

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
    table.columns.push_back({statement->column_name(i), tables::CellKind::kText});
  if (table.columns.empty()) return base::fail(path + " is not a query: it has no columns");
  auto row = statement->step();
  for (; row && *row; row = statement->step()) {
    auto& cells = table.rows.emplace_back();
    for (int i = 0; i < statement->columns(); ++i) cells.push_back(cell(*statement, i));
  }
  if (!row) return fail(row.error());
  tables::settle_kinds(table, kDecimals);
  return table;
}

}  // namespace prof::stats
