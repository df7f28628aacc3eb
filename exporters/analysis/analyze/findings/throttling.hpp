// Finds times in which a GPU was throttled while it worked, from NVML's counters.
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
  std::string name;   // NVML's name: "SW Power Cap"
  std::int64_t time;  // ns in which the GPU worked and the reason held
};

struct ThrottledGpu {
  std::int64_t gpu;                     // TARGET_INFO_GPU.id
  insight::Operation longest;           // longest operation on the GPU
  insight::Intervals times;             // times in which the GPU worked and any of the reasons held
  std::vector<ThrottleReason> reasons;  // sorted by time, longest first
  std::int64_t work;                    // ns in which the GPU worked
  double clock;          // MHz, average of the multiprocessors in `times`; 0: unknown
  double highest_clock;  // MHz, the GPU's maximum, or the highest clock in the report
  std::int64_t lost;     // ns of `times` that the highest clock would have saved
};

// "SW Power Cap for 1.2 s, of 1.5 s with work; its clock is 1200 MHz then and 1980 MHz at most"
std::string text_of(const ThrottledGpu& gpu);

// Reads the GPUs whose throttling and clock were sampled and that were throttled while they worked.
base::Result<std::vector<ThrottledGpu>> read_throttled_gpus(const report::ReportReader& reader,
                                                            const insight::GpuWork& work);

}  // namespace prof::analyze
