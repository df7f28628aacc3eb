// The events of a job's reports that --filter-time, --filter-nvtx and --align select.
#pragma once

#include <string>
#include <vector>

#include "cli/output/options/table_options.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/ranks/clocks/alignment.hpp"
#include "exporters/ranks/job_plan.hpp"

namespace prof::cli {

class JobWindow {
 public:
  // Aligns the reports if --filter-time was given, or `align`, the text of --align. Names on stderr
  // what they could not be aligned by. Throws Failure if they cannot be aligned as asked for.
  JobWindow(const std::vector<std::string>& paths, const TableSettings& settings,
            const std::string& align);
  JobWindow(const std::vector<ranks::PlannedReport>& reports, const TableSettings& settings,
            const std::string& align);

  // Makes the views of a report's events in the window of time, which is on the common clock, that
  // the other filters and `more` select, too. Returns the filters.
  events::EventFilter prepare(const report::ReportReader& reader,
                              const events::EventFilter& more = {}) const;
  // Is not known if the reports were not aligned.
  const ranks::CommonClock& clock() const { return clock_; }

 private:
  const TableSettings& settings_;
  ranks::CommonClock clock_;
};

}  // namespace prof::cli
