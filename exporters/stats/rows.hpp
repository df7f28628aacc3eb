// Walks through the rows of a query.
#pragma once

#include <string_view>

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

}  // namespace prof::stats
