// Visits the rows of a query or of a table.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "common/report/table_scan.hpp"

namespace prof::events {

// Calls `visit(const report::Statement&)` for every row.
template <class Visit>
base::Status for_each_row(const report::ReportReader& reader, std::string_view sql, Visit visit) {
  auto query = reader.prepare(sql);
  if (!query) return tl::make_unexpected(query.error());
  auto row = query->step();
  for (; row && *row && query->misplaced_text() < 0; row = query->step())
    visit(std::as_const(*query));
  if (const int column = query->misplaced_text(); column >= 0)
    return report::fail_misplaced(reader, query->column_name(column));
  if (!row) return tl::make_unexpected(reader.last_error());
  return {};
}

// Returns the time at which the session began, in ns since 1970, or 0 if the report does not have
// it.
inline std::int64_t session_start(const report::ReportReader& reader) {
  if (!reader.has_column("TARGET_INFO_SESSION_START_TIME", "utcEpochNs")) return 0;
  std::int64_t start = 0;
  const base::Status read =
      for_each_row(reader, "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME",
                   [&](const report::Statement& row) { start = row.integer(0); });
  if (!read) reader.note(read.error());
  return start;
}

// The largest valid time in ns: 73 years. A time further from the session's start is invalid, and
// the difference of two such numbers may overflow.
inline constexpr std::int64_t kMaxTime = std::int64_t{1} << 61;

// Returns a number of rows that the table has at most, to reserve memory for them. Takes no scan.
inline std::size_t max_rows(const report::ReportReader& reader, std::string_view table) {
  constexpr std::int64_t kMinRowBytes = 8;
  std::int64_t rows = 0;
  const base::Status read = for_each_row(
      reader,
      fmt::format("SELECT (SELECT max(rowid) FROM main.{}), page_count * page_size FROM "
                  "pragma_page_count, pragma_page_size",
                  report::quoted(table)),
      [&](const report::Statement& row) {
        rows = std::min(row.integer(0), row.integer(1) / kMinRowBytes);
      });
  return read && rows > 0 ? static_cast<std::size_t>(rows) : 0;
}

struct Times {
  std::int64_t start;  // ns
  std::int64_t end;
  std::int64_t duration() const { return end - start; }
  bool is_valid() const { return start <= end && start >= -kMaxTime && end <= kMaxTime; }
};

// Returns Times::is_valid() in SQL, for queries that do not use for_each_event().
inline std::string valid_times() {
  return fmt::format("(start <= \"end\" AND start >= {} AND \"end\" <= {})", -kMaxTime, kMaxTime);
}

// Calls `visit(times, row)` for every event of a table, with the query's columns in the row from
// column 0 on. Events with missing, reversed or impossible times are skipped, and the reader notes
// their number.
template <class Visit>
base::Status for_each_event(const report::ReportReader& reader, report::TableQuery query,
                            Visit visit, const report::ScanColumn& end = "end") {
  std::int64_t faulty = 0;
  const auto start_column = static_cast<int>(query.columns.size());
  query.columns.insert(query.columns.end(), {"start", end});
  base::Status read = report::scan(reader, query, [&](const report::Row& row) {
    const Times times{row.integer_or(start_column, INT64_MAX),
                      row.integer_or(start_column + 1, INT64_MIN)};
    if (times.is_valid())
      visit(times, row);
    else
      ++faulty;
  });
  if (faulty > 0) reader.note_faulty(query.table, faulty);
  return read;
}

// Returns the tables whose names match a GLOB pattern of SQLite, sorted by name.
inline std::vector<std::string> tables_like(const report::ReportReader& reader,
                                            std::string_view pattern) {
  std::vector<std::string> names;
  auto query = reader.prepare(
      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name GLOB ? "
      "ORDER BY name");
  if (!query) return names;
  query->bind(1, pattern);
  for (auto row = query->step(); row && *row; row = query->step())
    names.emplace_back(query->text(0));
  return names;
}

}  // namespace prof::events
