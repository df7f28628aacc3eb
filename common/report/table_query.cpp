#include "common/report/table_query.hpp"

#include "common/report/report_reader.hpp"

namespace prof::report {

namespace {

std::string to_sql(const ScanColumn& column) {
  if (column.kind == ScanColumn::Kind::kConstant)
    return column.value ? std::to_string(*column.value) : "NULL";
  std::string text(column.text);
  if (!column.value) return text;
  return "COALESCE(" + text + ", " + std::to_string(*column.value) + ")";
}

// Appends texts with commas between them.
template <class Items, class Text>
void join(std::string& sql, const Items& items, Text text) {
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) sql += ", ";
    is_first = false;
    sql += text(item);
  }
}

}  // namespace

ScanColumns operator+(ScanColumns columns, std::span<const ScanColumn> more) {
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

ScanColumn column_or(const ReportReader& reader, std::string_view table, const char* column,
                     const ScanColumn& other) {
  return reader.has_column(table, column) ? ScanColumn(column) : other;
}

std::string to_sql(const RowCondition& condition) {
  std::string sql = std::string(condition.column) + (condition.is_one_of ? " IN (" : " NOT IN (");
  join(sql, condition.numbers, [](std::int64_t number) { return std::to_string(number); });
  return sql + ')';
}

std::string columns_sql(const ScanColumns& columns) {
  std::string sql;
  join(sql, columns, [](const ScanColumn& column) { return to_sql(column); });
  return sql;
}

std::string source_sql(const TableQuery& query) {
  std::string sql = (query.ignores_filter ? "main." : "") + quoted(query.table);
  if (query.condition) sql += " WHERE " + to_sql(*query.condition);
  if (!query.rest.empty()) sql += ' ' + query.rest;
  return sql;
}

}  // namespace prof::report
