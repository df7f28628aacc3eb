// Divides a device's time by what the device did.
#pragma once

#include "common/report/event_filter.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"

namespace prof::insight {

// The times of a device's activities, by kind.
struct Activity {
  Interval span;
  Intervals compute;        // all other kernels, and graphs traced as a whole
  Intervals communication;  // kernels of NCCL and similar libraries
  Intervals copies;         // copies and fills
  Intervals busy;           // union of the three
};

// Returns the activity from the device's first operation to its last one.
Activity activity(const GpuWork& work, std::size_t device);
// Returns the activity within the filter's time: operations are cut at its limits, and a device
// without an operation at a limit was idle there. A filter without a limit ends where the device's
// operations end.
Activity activity(const GpuWork& work, std::size_t device, const report::EventFilter& filter);

// The parts of a device's time in ns. compute + exposed_communication + exposed_copies + idle =
// span.
struct Breakdown {
  std::int64_t span = 0;
  std::int64_t compute = 0;
  std::int64_t exposed_communication = 0;  // time in which nothing computes
  std::int64_t hidden_communication = 0;   // overlapped with computing
  std::int64_t exposed_copies = 0;         // time in which nothing computes or communicates
  std::int64_t hidden_copies = 0;
  std::int64_t idle = 0;
};

Breakdown breakdown(const Activity& activity);

}  // namespace prof::insight
