// Reads the names of the GPUs, by process and CUDA device number.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::stats {

class DeviceNames {
 public:
  static base::Result<DeviceNames> read(const report::ReportReader& reader);

  // Returns "NVIDIA H200 (0)".
  std::string text(std::int64_t pid, std::int64_t device) const;

 private:
  // Names by PID and device number: with CUDA_VISIBLE_DEVICES a number may mean different GPUs in
  // different processes.
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> by_process_;
  std::map<std::int64_t, std::string> by_number_;
};

}  // namespace prof::stats
