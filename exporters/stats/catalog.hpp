// The statistics reports by name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/stats/table.hpp"

namespace prof::stats {

struct StatsReport {
  const char* name;
  const char* old_name;  // what nsys called it before 2023; still accepted
  const char* title;
  const char* table;    // what it needs
  const char* missing;  // "... does not contain <missing>."
  base::Result<Table> (*run)(const report::ReportReader& reader);
  const char* help;
};

// In the order in which they are printed when none is asked for.
std::span<const StatsReport> catalog();

// By current or old name; null if there is none.
const StatsReport* find_report(std::string_view name);

base::Result<Table> osrt_sum(const report::ReportReader& reader);
base::Result<Table> nvtx_sum(const report::ReportReader& reader);
base::Result<Table> nvtx_pushpop_sum(const report::ReportReader& reader);

}  // namespace prof::stats
