// Finds the events of a job's reports that take part in operations of several ranks.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "exporters/ranks/path/job_execution.hpp"

namespace prof::ranks {

// An operation on a GPU, or a call of a thread.
struct JobEvent {
  bool is_on_gpu = false;
  std::uint32_t index = 0;
  auto operator<=>(const JobEvent&) const = default;
};

// Returns the event that a place is in, if it is not between two calls.
std::optional<JobEvent> event_at(const path::ExecutionModel& model, const path::Place& place);

// Finds events by their times.
class JobEvents {
 public:
  // `reports` must outlive this object.
  explicit JobEvents(std::span<const ReportExecution> reports)
      : reports_(reports), kernels_(reports.size()) {}

  // Returns the call that a thread began at this time.
  std::optional<JobEvent> call_at(std::size_t report, std::int64_t global_tid,
                                  std::int64_t start) const;
  // Returns the communication kernel of a process that started at this time. If several did, it is
  // one that ended at `end`.
  std::optional<JobEvent> kernel_at(std::size_t report, std::int64_t global_pid, std::int64_t start,
                                    std::int64_t end);

 private:
  const std::span<const ReportExecution> reports_;
  // By process and start.
  std::vector<std::multimap<std::pair<std::int64_t, std::int64_t>, std::uint32_t>> kernels_;
};

}  // namespace prof::ranks
