// Reads which processes of the machine use its CPUs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/monitor/gpu_readings.hpp"

namespace prof::cli {

class CpuProcesses {
 public:
  explicit CpuProcesses(std::string proc = "/proc") : proc_(std::move(proc)) {}

  // Returns the processes that were on a CPU between the last two readings, the one with the most
  // time first. Empty after the first reading. `time` in ns; reading takes at most a tenth of a
  // CPU: if the last reading was too recent for that, its result is returned again.
  const std::vector<CpuProcess>& read(std::uint64_t time);

 private:
  struct Used {
    std::uint64_t ticks = 0;
    std::uint64_t start = 0;  // tells processes with the same id apart
  };

  std::string proc_;
  std::map<pid_t, Used> before_;
  std::uint64_t time_ = 0;  // of the last reading; 0: none
  std::uint64_t due_ = 0;   // when the next reading is due
  std::vector<CpuProcess> processes_;
};

}  // namespace prof::cli
