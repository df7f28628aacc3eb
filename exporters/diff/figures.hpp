// Figures of a whole report.
#pragma once

#include <cstdint>
#include <optional>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"

namespace prof::diff {

struct Figures {
  std::optional<std::int64_t> session;   // duration, ns
  std::optional<std::int64_t> gpu_span;  // from the first to the end of the last operation, ns
  std::int64_t gpu_busy = 0;             // ns in which a GPU works, summed over the GPUs
  std::int64_t gpus = 0;                 // that did anything
  std::int64_t kernels = 0;
};

base::Result<Figures> read_figures(const report::ReportReader& reader);

// What is compared as the duration: that of the sessions or, unless both reports tell it, the time
// from the first to the last GPU operation.
struct Durations {
  bool of_session;
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> after;
};
Durations durations(const Figures& before, const Figures& after);

}  // namespace prof::diff
