// The executions of the reports of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/event_filter.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/path/execution_model.hpp"
#include "exporters/ranks/clocks/alignment.hpp"
#include "exporters/ranks/collectives/job_collectives.hpp"
#include "exporters/ranks/job_plan.hpp"

namespace prof::ranks {

// The reader of a report is not kept: a job may have more reports than a process may open files.
struct ReportExecution {
  std::string path;
  report::EventFilter filter;  // the events that count
  path::ExecutionModel model;

  // Opens the report, with views of the events that count.
  base::Result<report::ReportReader> open() const;
};

struct JobExecution {
  std::vector<ReportExecution> reports;
  const JobCollectives& collectives;

  std::int64_t common(std::size_t report, std::int64_t time) const {
    return collectives.alignment.common(report, time);
  }
};

// Reads and matches the operations of all events. `clock` says how the clocks of the reports
// compare, if that is known; otherwise the reports say it.
base::Result<JobCollectives> read_collectives(const std::vector<PlannedReport>& reports,
                                              const CommonClock& clock);

base::Result<ReportExecution> read_execution(const PlannedReport& report,
                                             const FilterOf& filter_of);

// Reads the executions of the reports. `collectives` must be of the same reports, and outlive the
// result.
base::Result<JobExecution> read_execution(const std::vector<PlannedReport>& reports,
                                          const JobCollectives& collectives,
                                          const FilterOf& filter_of);

}  // namespace prof::ranks
