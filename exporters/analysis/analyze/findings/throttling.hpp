// Times in which a GPU ran slower than it could while it worked, by NVML's counters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::analyze {

struct ThrottleReason {
  std::string name;   // as NVML's: "SW Power Cap"
  std::int64_t time;  // ns with work in which it held
};

struct ThrottledGpu {
  std::int64_t gpu;                     // TARGET_INFO_GPU.id
  const insight::Operation* longest;    // operation on it
  insight::Intervals times;             // with work, in which any of the reasons held
  std::vector<ThrottleReason> reasons;  // most time first
  std::int64_t work;                    // ns in which it worked
  double clock;                         // MHz, average of the multiprocessors in `times`
  double highest_clock;                 // MHz: the GPU's maximum, or the highest in the report
  std::int64_t lost;                    // ns: what is missing in `times` to the highest clock
};

// The GPUs whose throttling and clock were sampled and that were throttled while they worked.
base::Result<std::vector<ThrottledGpu>> read_throttled_gpus(const report::ReportReader& reader,
                                                            const insight::GpuWork& work);

}  // namespace prof::analyze
