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
  bool computes = false;  // else it draws
  double memory = 0;      // bytes; NaN: NVML does not say
  double sm = 0;          // percent of the last seconds; NaN: NVML does not say
  double memory_busy = 0;
  double encoder = 0;
  double decoder = 0;
};

// The processes of one GPU. Utilization is what the driver has measured since the last reading.
class GpuProcesses {
 public:
  explicit GpuProcesses(const Gpu& gpu) : gpu_(gpu) {}
  // By pid. Empty as well if NVML refuses.
  std::vector<GpuProcess> read();

 private:
  void read_utilization(std::vector<GpuProcess>& processes);

  Gpu gpu_;
  unsigned long long last_seen_ = 0;
};

// The name of a process: of its program, else the kernel's; empty if there is none of that id.
std::string process_name(unsigned pid, const std::string& proc = "/proc");

}  // namespace prof::nvml
