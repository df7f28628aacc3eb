// What sampled GPU metrics say about a report's GPU work.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/insight/timeline.hpp"

namespace prof::analyze {

// Averages in percent of the GPU's peak. What was not sampled is negative.
struct LoadPercents {
  double multiprocessors = -1;  // share of the multiprocessors that have work, averaged over time
  double warps = -1;            // warps in flight
  double tensor_cores = -1;
  double memory = -1;  // DRAM, reads and writes together
};

// Kernels of one name on one GPU, over the samples in which nothing else ran.
struct KernelLoad {
  const insight::Operation* longest;
  std::int64_t count;
  std::int64_t time;  // ns, of all of them
  LoadPercents percents;
};

struct GpuLoad {
  std::int64_t gpu;                             // TARGET_INFO_GPU.id
  const insight::Operation* longest = nullptr;  // operation on it
  std::vector<KernelLoad> kernels = {};         // that ran alone for at least three samples
  LoadPercents percents = {};                   // while kernels computed
  std::int64_t kernel_time = 0;                 // ns in which kernels computed
  // One direction of the link at 90 % or more, and no kernel computed meanwhile.
  insight::Intervals full_pcie = {};
  insight::Intervals full_nvlink = {};
  // Half busy or more, while nothing of the report ran on it, and no process of the report was in a
  // call that can make it work without a record: contexts and modules are set up by the GPU, too.
  insight::Intervals foreign = {};
};

// One for each GPU that has metrics and work.
base::Result<std::vector<GpuLoad>> read_gpu_loads(const report::ReportReader& reader,
                                                  const insight::Timeline& timeline);

}  // namespace prof::analyze
