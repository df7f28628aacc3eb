// A critical path by itself: its stretches, and the calls and operations that they belong to as the
// report has them.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/path/backward_walk.hpp"

namespace prof::path {

struct PathEvent {
  std::int64_t start = 0;  // ns, on the report's clock
  std::int64_t end = 0;
  SegmentKind kind = SegmentKind::kCpu;
  // True if the stretch belongs to a call or a GPU operation, which the rest describes.
  bool has_item = false;
  std::int64_t global_id = 0;  // of the thread, or of the process of an operation; 0: unknown
  std::int64_t device = 0;     // of an operation: CUDA's number in the process
  std::int64_t stream = 0;
  std::int64_t item_start = 0;  // ns
  std::int64_t item_end = 0;

  std::int64_t duration() const { return end - start; }
};

PathEvent path_event(const ExecutionModel& model, const Segment& segment);

// Returns the critical path of a report, in the order of time.
base::Result<std::vector<PathEvent>> path_events(const report::ReportReader& reader);

}  // namespace prof::path
