// Finds the GPU of the machine that a process means by a CUDA device number.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"

namespace prof::insight {

class PhysicalGpus {
 public:
  static base::Result<PhysicalGpus> read(const report::ReportReader& reader);

  // Returns TARGET_INFO_GPU.id. Reports from before 2025 lack the id; for them it is CUDA's device
  // number.
  std::int64_t of(const Device& device) const;

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> ids_;  // by PID and device number
};

}  // namespace prof::insight
