#include "exporters/analysis/stats/cuda/kernel_executions.hpp"

namespace prof::stats {

base::Status for_each_execution(const report::ReportReader& reader,
                                const events::KernelNames& names,
                                const std::function<void(const KernelExecution&)>& visit) {
  const auto calls = events::ApiCalls::read(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  return events::for_each_kernel(reader, names, [&](const events::Kernel& kernel) {
    if (const events::ApiCall* call = calls->launching(kernel.global_pid, kernel.correlation))
      visit({*call, kernel});
  });
}

}  // namespace prof::stats
