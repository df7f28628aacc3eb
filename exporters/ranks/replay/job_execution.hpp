// The executions of the reports of a job, and where the operations are in them that several ranks
// take part in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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

// An operation on a GPU, or a call of MPI.
struct JobEvent {
  bool is_on_gpu = false;
  std::uint32_t index = 0;
  auto operator<=>(const JobEvent&) const = default;
};

// Finds events by their times.
class JobEvents {
 public:
  explicit JobEvents(const std::vector<ReportExecution>& reports)
      : reports_(reports), kernels_(reports.size()) {}

  // Returns the call that a thread began at this time.
  std::optional<JobEvent> call_at(std::size_t report, std::int64_t global_tid,
                                  std::int64_t start) const;
  // Returns the communication kernel of a process that started at this time.
  std::optional<JobEvent> kernel_at(std::size_t report, std::int64_t global_pid,
                                    std::int64_t start);

 private:
  const std::vector<ReportExecution>& reports_;
  std::vector<std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t>> kernels_;
};

}  // namespace prof::ranks
