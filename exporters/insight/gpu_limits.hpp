// What the GPUs of a report can hold, under the numbers by which a process's CUDA calls them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/insight/occupancy.hpp"

namespace prof::insight {

class GpuLimitsTable {
 public:
  static base::Result<GpuLimitsTable> read(const report::ReportReader& reader);

  // All zero for a device that is not known.
  GpuLimits of(std::int64_t pid, std::int64_t device) const;

 private:
  // CUDA_VISIBLE_DEVICES gives a number another meaning in each process.
  std::map<std::pair<std::int64_t, std::int64_t>, GpuLimits> by_process_;
  std::map<std::int64_t, GpuLimits> by_number_;
};

}  // namespace prof::insight
