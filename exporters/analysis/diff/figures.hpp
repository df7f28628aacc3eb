// Computes figures that describe a whole report.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::diff {

struct Figures {
  std::optional<std::int64_t> session;   // ns, duration
  std::optional<std::int64_t> gpu_span;  // ns, from the first start to the last end
  std::int64_t gpu_busy = 0;             // ns, busy time, summed over the GPUs
  std::int64_t gpus = 0;                 // number of GPUs with operations
  std::int64_t kernels = 0;
  std::optional<std::int64_t> cpu_time;  // ns, of all threads
  std::optional<std::int64_t> switches;  // context switches
};

// Adds the figures of another report of the job: the longer duration and span, the sums of the
// rest.
void add(Figures& sum, const Figures& more);

// The source of the time that threads ran, which both reports must have.
enum class CpuTime { kUnknown, kSwitches, kSamples };
CpuTime common_cpu_time(const report::ReportReader& before, const report::ReportReader& after);

base::Result<Figures> read_figures(const report::ReportReader& reader, CpuTime source);

// The durations to compare: the durations of the sessions if both reports have them, otherwise the
// times from the first to the last GPU operation.
struct Durations {
  bool of_session;
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> after;
};
Durations durations(const Figures& before, const Figures& after);

}  // namespace prof::diff
