// Selects the statistics that prof stats prints.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/call_chains/code_lines.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::cli {

using CodeLines = std::shared_ptr<const events::CodeLines>;

// A statistic with its arguments.
struct SelectedStatistic {
  std::string name;  // the current name, with the arguments
  std::string title;
  std::string missing;    // without rows: what the file lacks, and what records it
  bool asked_for = true;  // by the user, so missing data is reported
  bool shows_code = false;
  bool shows_samples = false;  // functions with CPU samples, where inlined functions count
  std::function<base::Result<tables::Table>(const report::ReportReader&, const CodeLines&)> run;
};

// What applies to all selected statistics.
struct StatisticOptions {
  bool shows_lines = false;  // show source lines of native code
  events::RangeOf range_of = events::RangeOf::kBoth;
};

// Returns the statistics in `names`, or the defaults if it is empty. `folders` have queries of the
// user. With `for_terminal`, the defaults are in the order for a terminal. Throws Failure.
std::vector<SelectedStatistic> selected_statistics(const std::vector<std::string>& names,
                                                   const std::vector<std::string>& folders,
                                                   bool for_terminal,
                                                   const StatisticOptions& options);

// Returns the files with queries of the user.
std::vector<std::filesystem::path> queries_in(const std::vector<std::string>& folders);
[[noreturn]] void fail_unknown(const std::string& name,
                               const std::vector<std::filesystem::path>& queries);

}  // namespace prof::cli
