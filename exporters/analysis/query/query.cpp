#include "exporters/analysis/query/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/base/text/json.hpp"
#include "common/base/utf8.hpp"
#include "exporters/analysis/query/query_errors.hpp"
#include "exporters/analysis/query/sandbox.hpp"
#include "exporters/analysis/query/table_schema.hpp"
#include "exporters/analysis/tables/column_kinds.hpp"
#include "exporters/analysis/tables/table_data.hpp"

namespace prof::query {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxValueBytes = 1'000'000;
constexpr std::size_t kMaxCellBytes = 4'000;
constexpr int kDecimals = 6;  // of real numbers

// Returns the beginning of the text with at most `most` bytes, without a part of a character.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && base::continues_character(text[most])) --most;
  return text.substr(0, most);
}

class Rows {
 public:
  Rows(QueryResult& result, const Request& request) : result_(result), request_(request) {}

  // Returns false if the row has no room.
  bool add(const report::Statement& row) {
    if (skipped_ < request_.skipped) return ++skipped_ > 0;
    if (result_.table.rows.size() == request_.rows) return stop(Cut::kRows);
    std::vector<tables::Cell> cells;
    for (int i = 0; i < row.columns(); ++i) cells.push_back(cell(row, i));
    if (bytes_ > request_.bytes) return stop(Cut::kBudget);
    result_.table.rows.push_back(std::move(cells));
    return true;
  }

 private:
  bool stop(Cut cut) {
    result_.cut = cut;
    return false;
  }

  tables::Cell cell(const report::Statement& row, int column) {
    constexpr std::size_t kNumberBytes = 12;
    bytes_ += kNumberBytes;
    switch (row.type(column)) {
      case SQLITE_NULL:
        return {};
      case SQLITE_INTEGER:
        return row.integer(column);
      case SQLITE_FLOAT:
        return row.real(column);
      case SQLITE_BLOB:
        return fmt::format("{} bytes", row.text(column).size());
      default:
        return text(row.text(column));
    }
  }

  std::string text(std::string_view whole) {
    const std::string_view kept = beginning(whole, kMaxCellBytes);
    bytes_ += kept.size();
    if (kept.size() == whole.size()) return std::string(kept);
    if (result_.cut == Cut::kNothing) result_.cut = Cut::kValue;
    return std::string(kept) + "…";
  }

  QueryResult& result_;
  const Request& request_;
  std::size_t skipped_ = 0;
  std::size_t bytes_ = 0;
};

// Returns the unit of a column of the result: that of the columns of its name that the query reads,
// if they agree.
std::string unit_of(const report::ReportReader& reader, const ReadColumns& columns,
                    const std::string& column) {
  std::optional<std::string> unit;
  for (const auto& [table, name] : columns) {
    if (name != column) continue;
    const std::string each = column_unit(reader, table, name);
    if (unit && *unit != each) return "";
    unit = each;
  }
  return unit.value_or("");
}

}  // namespace

const char* name_of(Cut cut) {
  switch (cut) {
    case Cut::kNothing:
      return "";
    case Cut::kRows:
      return "rows";
    case Cut::kBudget:
      return "budget";
    case Cut::kTime:
      return "time";
    case Cut::kValue:
      return "value";
  }
  return "";
}

base::Result<QueryResult> run_query(const report::ReportReader& reader, const Request& request) {
  const Clock::time_point start = Clock::now();
  if (request.sql.size() > static_cast<std::size_t>(kMaxSqlBytes))
    return base::fail(fmt::format("the statement has {} bytes; at most {} are allowed",
                                  request.sql.size(), kMaxSqlBytes));
  const Sandbox sandbox(reader, {request.time, kMaxValueBytes, request.stop});
  auto query = report::Statement::prepare_only(reader.database(), request.sql);
  if (!query) return base::fail(explain(reader, request, query.error().message));
  const ReadColumns& columns = sandbox.read_columns();
  QueryResult result;
  for (int i = 0; i < query->columns(); ++i) {
    result.table.columns.push_back({query->column_name(i), tables::CellKind::kText});
    result.units.push_back(unit_of(reader, columns, query->column_name(i)));
  }
  if (result.table.columns.empty())
    return base::fail("the statement is not a query: it has no columns");
  Rows rows(result, request);
  auto row = query->step();
  while (row && *row && rows.add(*query)) row = query->step();
  const bool is_late = !row && sqlite3_errcode(reader.database()) == SQLITE_INTERRUPT;
  if (is_late && !result.table.rows.empty())
    result.cut = Cut::kTime;
  else if (!row)
    return base::fail(explain(reader, request, row.error().message));
  tables::settle_kinds(result.table, kDecimals);
  result.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return result;
}

std::string query_json(const QueryResult& result) {
  base::Json json;
  json.begin_object().pair("schema", "prof.query/1").key("columns").begin_list();
  for (std::size_t i = 0; i < result.units.size(); ++i) {
    json.begin_object().pair("name", result.table.columns[i].header);
    if (!result.units[i].empty()) json.pair("unit", result.units[i]);
    json.end_object();
  }
  json.end_list().key("rows").begin_list();
  for (const auto& row : result.table.rows) {
    json.begin_list();
    for (const tables::Cell& cell : row) tables::add_value(json, cell);
    json.end_list();
  }
  json.end_list().pair("truncated", result.cut != Cut::kNothing);
  if (result.cut != Cut::kNothing) json.pair("truncated_by", name_of(result.cut));
  json.pair("elapsed_ms", std::round(result.milliseconds * 10) / 10).end_object();
  return base::visible_json(json.text()) + '\n';
}

}  // namespace prof::query
