// The processes that use a GPU, as NVML sees them. Their ids are those of the pid namespace that
// the driver belongs to, mostly the host's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/metrics/nvml/gpu_reader.hpp"

namespace prof::nvml {

struct GpuProcess {
  unsigned pid = 0;
  bool computes = false;  // true: computes; false: draws
  double memory = 0;      // bytes; NaN: NVML does not report it
  double sm = 0;          // percent, recently; NaN: NVML does not report it
  double memory_busy = 0;
  double encoder = 0;
  double decoder = 0;
};

// The processes of one GPU. Utilization is the driver's measurement since the last reading.
class GpuProcesses {
 public:
  explicit GpuProcesses(const Gpu& gpu) : gpu_(gpu) {}
  // Returns the processes by pid; empty also if NVML refuses.
  std::vector<GpuProcess> read();

 private:
  void read_utilization(std::vector<GpuProcess>& processes);

  Gpu gpu_;
  unsigned long long last_seen_ = 0;
};

// Returns the name of the process's program, or the kernel's name for it; empty if no process has
// that id.
std::string process_name(unsigned pid, const std::string& proc = "/proc");

}  // namespace prof::nvml
