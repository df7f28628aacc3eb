// Views of a report for people and models who write SQL: names in place of ids, pid and tid in
// place of serialized ids, and durations.
#pragma once

#include <span>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::query {

struct ViewColumn {
  const char* name;
  const char* sql;      // of the value, in the table of the view
  const char* needs;    // the column of the table without which the value is NULL; "": none
  const char* unit;     // "ns", "B" or ""
  const char* meaning;  // "": the name says it
};

struct NamedView {
  const char* name;
  const char* meaning;
  std::span<const ViewColumn> columns;
};

// Returns all named views.
std::span<const NamedView> named_views();

// Makes the views in memory for which the report has a table, except those whose names a table of
// the report has. The file does not change.
base::Status make_named_views(const report::ReportReader& reader);

// True if the reader has this named view.
bool has_named_view(const report::ReportReader& reader, const std::string& view);

}  // namespace prof::query
