// Walks through the rows of a query.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"

namespace prof::stats {

// Calls `visit(const report::Statement&)` for every row.
template <class Visit>
base::Status for_each_row(const report::ReportReader& reader, std::string_view sql, Visit visit) {
  auto query = reader.prepare(sql);
  if (!query) return tl::make_unexpected(query.error());
  auto row = query->step();
  for (; row && *row; row = query->step()) visit(std::as_const(*query));
  if (!row) return tl::make_unexpected(row.error());
  return {};
}

// Tables whose names fit a pattern of SQLite's GLOB, by name.
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

}  // namespace prof::stats
