// Which GPU of the machine a process means by a CUDA device number.
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

  // TARGET_INFO_GPU.id. Reports before 2025 do not have it: there it is CUDA's number.
  std::int64_t of(const Device& device) const;

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> ids_;  // by PID and device number
};

}  // namespace prof::insight
