// api/query: the rows of a query in SQL that the user typed. A query can only read, and it is
// stopped when it takes long.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "exporters/analysis/query/sandbox.hpp"
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/report/report_scope.hpp"

namespace prof::view {

namespace {

constexpr std::int64_t kMaxSeconds = 10;
constexpr std::size_t kMaxAnswerBytes = 16 << 20;
constexpr int kMaxValueBytes = 16 << 20;
constexpr std::size_t kMaxCellBytes = 10'000;
// JavaScript's numbers hold whole numbers up to this one. A larger one is sent as a text.
constexpr std::int64_t kMaxExact = (std::int64_t{1} << 53) - 1;

void add_cell(Json& json, const report::Statement& row, int column) {
  switch (row.type(column)) {
    case SQLITE_NULL:
      json.null();
      break;
    case SQLITE_INTEGER: {
      const std::int64_t value = row.integer(column);
      value > kMaxExact || value < -kMaxExact ? json.value(std::to_string(value))
                                              : json.value(value);
      break;
    }
    case SQLITE_FLOAT:
      json.value(row.real(column));
      break;
    case SQLITE_BLOB:
      json.value(fmt::format("{} bytes", row.text(column).size()));
      break;
    default:
      json.value(row.text(column).substr(0, kMaxCellBytes));
  }
}

// Adds the rows. Returns why some are left out, or an empty text; fails with SQLite's message.
Outcome<std::string> add_rows(Json& json, report::Statement& query, sqlite3* database,
                              std::int64_t limit, std::int64_t seconds) {
  std::size_t bytes = 0;
  for (std::int64_t rows = 0;; ++rows) {
    const auto found = query.step();
    if (!found && sqlite3_errcode(database) == SQLITE_INTERRUPT) {
      if (rows > 0) return fmt::format("The query was stopped after {} s.", seconds);
      return fault(400, fmt::format("The query was stopped after {} s without a row.", seconds));
    }
    if (!found) return fault(400, found.error().message);
    if (!*found) return std::string();
    if (rows == limit) return fmt::format("Only the first {} rows are shown.", limit);
    if (bytes > kMaxAnswerBytes) return std::string("The other rows are too large to show.");
    json.begin_list();
    for (int i = 0; i < query.columns(); ++i) {
      add_cell(json, query, i);
      if (query.type(i) == SQLITE_TEXT) bytes += std::min(query.text(i).size(), kMaxCellBytes);
    }
    json.end_list();
  }
}

}  // namespace

Outcome<Answer> answer_query(const Sources& sources, const Parameters& parameters) {
  constexpr std::int64_t kUsualRows = 1000;
  constexpr std::int64_t kMaxRows = 10'000;
  const std::string sql(parameters.text("sql"));
  if (sql.empty()) return fault(400, "sql is missing: a query such as SELECT * FROM StringIds");
  const auto limit = parameters.integer_in("limit", 1, kMaxRows, kUsualRows);
  if (!limit) return tl::make_unexpected(limit.error());
  const auto seconds = parameters.integer_in("seconds", 1, kMaxSeconds, kMaxSeconds);
  if (!seconds) return tl::make_unexpected(seconds.error());
  const auto scope = report_scope(sources, parameters);
  if (!scope) return tl::make_unexpected(scope.error());
  const ServedReport& report = sources.reports[scope->index];
  const auto reader = report.read();
  if (!reader) return tl::make_unexpected(reader.error());
  // Large sorts go to a temporary file, not to memory.
  if (const auto set = report::execute(reader->database(), "PRAGMA temp_store = FILE"); !set)
    return fault(500, set.error().message);
  const query::Sandbox sandbox(*reader, {std::chrono::seconds(*seconds), kMaxValueBytes});
  auto query = report::Statement::prepare_only(reader->database(), sql);
  if (!query) return fault(400, query.error().message);
  Json json;
  json.begin_object().key("columns").begin_list();
  for (int i = 0; i < query->columns(); ++i) json.value(query->column_name(i));
  json.end_list().key("rows").begin_list();
  const auto rest = add_rows(json, *query, reader->database(), *limit, *seconds);
  if (!rest) return tl::make_unexpected(rest.error());
  json.end_list().pair("rest", *rest).end_object();
  if (const auto sound = report.readable(*reader); !sound)
    return tl::make_unexpected(sound.error());
  return Answer{json.take()};
}

}  // namespace prof::view
