// Figures that describe a whole report.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::diff {

struct Figures {
  std::optional<std::int64_t> session;   // duration, ns
  std::optional<std::int64_t> gpu_span;  // from the first start to the last end, ns
  std::int64_t gpu_busy = 0;             // busy time, summed over the GPUs, ns
  std::int64_t gpus = 0;                 // number of GPUs with operations
  std::int64_t kernels = 0;
  std::optional<std::int64_t> cpu_time;  // of all threads, ns
  std::optional<std::int64_t> switches;  // context switches
};

// What both reports know about the time that threads ran.
enum class CpuTime { kUnknown, kSwitches, kSamples };
CpuTime common_cpu_time(const report::ReportReader& before, const report::ReportReader& after);

base::Result<Figures> read_figures(const report::ReportReader& reader, CpuTime source);

// The durations to compare: those of the sessions if both reports have them, else the times from
// the first to the last GPU operation.
struct Durations {
  bool of_session;
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> after;
};
Durations durations(const Figures& before, const Figures& after);

}  // namespace prof::diff
