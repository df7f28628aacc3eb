// Where a device's time went.
#pragma once

#include "exporters/insight/gpu_work.hpp"

namespace prof::insight {

// What a device was doing, as sets of time.
struct Activity {
  Interval span;
  Intervals compute;        // kernels that compute, and graphs traced as wholes
  Intervals communication;  // kernels of NCCL and the like
  Intervals copies;         // and fills
  Intervals busy;           // any of them
};

Activity activity(const GpuWork& work, std::size_t device);

// Nanoseconds. compute + exposed_communication + exposed_copies + idle = span.
struct Breakdown {
  std::int64_t span = 0;
  std::int64_t compute = 0;
  std::int64_t exposed_communication = 0;  // while nothing computes
  std::int64_t hidden_communication = 0;   // at the same time as computing
  std::int64_t exposed_copies = 0;         // while nothing computes or communicates
  std::int64_t hidden_copies = 0;
  std::int64_t idle = 0;
};

Breakdown breakdown(const Activity& activity);

}  // namespace prof::insight
