// Lists the kinds of events that a report can hold.
#pragma once

#include "common/base/result.hpp"
#include "exporters/analysis/info/report_info.hpp"

namespace prof::info {

// A kind of events, and the statistics that show it.
struct Kind {
  const char* name;
  const char* table;                              // a * at the end matches any characters
  std::optional<report::RowCondition> condition;  // selects rows of this kind
  const char* statistics;
};
const std::vector<Kind>& kinds();

// Counts the rows of all tables and of all kinds.
base::Status read_contents(const report::ReportReader& reader, ReportInfo& info);

}  // namespace prof::info
