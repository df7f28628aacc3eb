// Reads the reports of a job on several threads, and merges their statistics.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/event_filter.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/ranks/job_plan.hpp"
#include "exporters/ranks/map.hpp"
#include "exporters/ranks/run_sums.hpp"

namespace prof::ranks {

struct ReadOptions {
  std::vector<Request> requests;
  unsigned threads = 0;  // 0: one for each CPU
  // Whether reports are read again if medians would not be exact otherwise.
  bool exact = false;
  // Returns which events of a report count. Null: all.
  std::function<base::Result<report::EventFilter>(const report::ReportReader&)> filter_of = {};
  // Is called for each report whose file with partial results does not fit, with the reason, by one
  // thread at a time. Null: nobody.
  std::function<void(const std::string& path, const std::string& why)> on_unfit = {};
  // Is called for each report whose events were read, by one thread at a time. Null: nobody.
  std::function<void(const report::ReportReader&)> on_read = {};
};

// Returns the ranks of each report. Adds a line to `left_out` for each one that cannot be read.
std::vector<PlannedReport> find_ranks(const std::vector<std::string>& paths,
                                      std::vector<std::string>& left_out);

// Adds the statistics of the reports to `sums`, from the files with partial results beside them if
// these fit, otherwise from their events. Adds a line to `left_out` for each report that
// cannot be read; nothing of it counts.
void read_reports(const std::vector<PlannedReport>& reports, const ReadOptions& options,
                  RunSums& sums, std::vector<std::string>& left_out);

}  // namespace prof::ranks
