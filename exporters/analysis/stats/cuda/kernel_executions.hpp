// Reads kernels together with the API calls that launched them.
#pragma once

#include <algorithm>
#include <functional>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/kernels.hpp"

namespace prof::stats {

struct KernelExecution {
  const events::ApiCall& call;
  const events::Kernel& kernel;

  // True if the kernel waited in a queue: it started after the launching call returned.
  bool queued() const { return kernel.start >= call.end; }
  std::int64_t call_time() const { return call.end - call.start; }
  std::int64_t queue_time() const { return kernel.start - call.end; }
  std::int64_t kernel_time() const { return kernel.end - kernel.start; }
  std::int64_t total_time() const { return std::max(call.end, kernel.end) - call.start; }
};

// Visits all kernels whose launch was recorded.
base::Status for_each_execution(const report::ReportReader& reader,
                                const events::KernelNames& names,
                                const std::function<void(const KernelExecution&)>& visit);

}  // namespace prof::stats
