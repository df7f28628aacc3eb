// Reads the hardware limits of the GPUs in a report, by process and CUDA device number.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/occupancy/occupancy.hpp"

namespace prof::insight {

class GpuLimitsTable {
 public:
  static base::Result<GpuLimitsTable> read(const report::ReportReader& reader);

  // Returns the limits of a device. All limits are 0 for an unknown device. A green context
  // (0: none) has fewer multiprocessors.
  GpuLimits of(std::int64_t pid, std::int64_t device, std::int64_t green_context = 0) const;

 private:
  GpuLimits of_device(std::int64_t pid, std::int64_t device) const;
  base::Status read_green_contexts(const report::ReportReader& reader);

  // Limits by PID and device number: with CUDA_VISIBLE_DEVICES a number may mean different GPUs in
  // different processes.
  std::map<std::pair<std::int64_t, std::int64_t>, GpuLimits> by_process_;
  std::map<std::int64_t, GpuLimits> by_number_;
  // Multiprocessors of green contexts by PID and context.
  std::map<std::pair<std::int64_t, std::int64_t>, int> green_contexts_;
};

}  // namespace prof::insight
