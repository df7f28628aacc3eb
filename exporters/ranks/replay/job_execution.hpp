// The executions of the reports of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/event_filter.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/path/execution_model.hpp"
#include "exporters/ranks/clocks/alignment.hpp"
#include "exporters/ranks/collectives/job_collectives.hpp"
#include "exporters/ranks/job_plan.hpp"

namespace prof::ranks {

struct ReportExecution {
  report::ReportReader reader;
  path::ExecutionModel model;
};

struct JobExecution {
  std::vector<ReportExecution> reports;
  JobCollectives collectives;  // also those that the filter leaves out

  std::int64_t common(std::size_t report, std::int64_t time) const {
    return collectives.alignment.common(report, time);
  }
};

// Says which events of a report count.
using FilterOf =
    std::function<base::Result<report::EventFilter>(const report::ReportReader& reader)>;

base::Result<JobExecution> read_execution(const std::vector<PlannedReport>& reports,
                                          const FilterOf& filter_of, const CommonClock& clock);

}  // namespace prof::ranks
