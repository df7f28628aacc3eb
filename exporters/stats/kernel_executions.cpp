#include "exporters/stats/kernel_executions.hpp"

namespace prof::stats {

base::Status for_each_execution(const report::ReportReader& reader, const KernelNames& names,
                                const std::function<void(const KernelExecution&)>& visit) {
  const auto calls = ApiCalls::read(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  return for_each_kernel(reader, names, [&](const Kernel& kernel) {
    if (const ApiCall* call = calls->launching(kernel.global_pid, kernel.correlation))
      visit({*call, kernel});
  });
}

}  // namespace prof::stats
