// The way back through one report, cut at the operations in which several ranks took part. It is
// all that a walk over the ranks needs of the report.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exporters/analysis/path/execution_model.hpp"
#include "exporters/ranks/path/job_events.hpp"
#include "exporters/ranks/path/job_execution.hpp"

namespace prof::ranks {

// A rank's part in an operation, as it was recorded.
struct RecordedPart {
  bool is_call = false;        // of MPI; otherwise a kernel
  std::int64_t global_id = 0;  // of the thread, or of the process
  std::int64_t start = 0;      // ns
  std::int64_t end = 0;        // ns
};

// Where the way stands, and where it stands next.
struct PathStep {
  path::Place place;
  std::optional<JobEvent> event;        // the rank's part that the place is in
  std::uint32_t next = path::kNowhere;  // index of a step; kNowhere: nothing before was recorded
};

struct PathSteps {
  std::int64_t begin = 0;  // ns: of the execution
  std::int64_t end = 0;
  bool is_cut = false;                  // by a filter
  std::uint32_t last = path::kNowhere;  // index of the step from the end; kNowhere: no events
  struct Part {
    std::optional<JobEvent> event;
    std::uint32_t step = path::kNowhere;  // from its start
  };
  std::vector<Part> parts;
  // Those at a part of an operation of several ranks, and those before `begin`.
  std::vector<PathStep> steps;
};

// `parts` are those of the report. The result has them in the same order.
PathSteps find_steps(const ReportExecution& report, const std::vector<RecordedPart>& parts);

}  // namespace prof::ranks
