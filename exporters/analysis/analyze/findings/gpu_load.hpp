// Describes a report's GPU work by sampled GPU metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/insight/report_activity.hpp"

namespace prof::analyze {

// Averages in percent of the GPU's peak. A value is negative if it was not sampled.
struct LoadPercents {
  double multiprocessors = -1;  // share of the multiprocessors that have work, averaged over time
  double warps = -1;            // warps in flight
  double tensor_cores = -1;
  double memory = -1;  // DRAM, reads and writes together
};

// Kernels of one name on one GPU. The percentages are averages over the samples in which nothing
// else ran.
struct KernelLoad {
  insight::Operation longest;
  std::int64_t count;
  std::int64_t time;  // ns, of all these kernels
  LoadPercents percents;
};

struct GpuLoad {
  std::int64_t gpu;                                // TARGET_INFO_GPU.id
  std::optional<insight::Operation> longest = {};  // longest operation on the GPU
  std::vector<KernelLoad> kernels = {};  // kernels that ran alone for at least three samples
  LoadPercents percents = {};            // averages while kernels computed
  std::int64_t kernel_time = 0;          // ns in which kernels computed
  // Times in which one direction of the link was used at 90 % or more while no kernel computed.
  insight::Intervals full_pcie = {};
  insight::Intervals full_nvlink = {};
  // Times in which the GPU was at least half busy with work of other programs: nothing of the
  // report ran on it, and no process of the report was in a call that can make the GPU work without
  // a record. Contexts and modules are such work, because the GPU takes part in setting them up.
  insight::Intervals foreign = {};
  std::string foreign_user = {};  // for whom it worked in these times; empty: not recorded
};

// Reads the load of each GPU that has metrics and work.
base::Result<std::vector<GpuLoad>> read_gpu_loads(const report::ReportReader& reader,
                                                  const insight::ReportActivity& timeline);

}  // namespace prof::analyze
