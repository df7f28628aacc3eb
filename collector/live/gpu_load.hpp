// Whether the GPUs that processes use are busy.
#pragma once

#include <string>
#include <vector>

#include "collector/live/snapshot.hpp"

namespace prof::live {

struct GpuLoad {
  unsigned index = 0;
  double busy = 0;  // percent of the last moments; NaN: not known
  struct Use {
    pid_t pid = 0;
    double memory = 0;  // bytes; NaN: not known
  };
  std::vector<Use> uses;  // by the processes that are looked at
};

struct GpuLoads {
  std::vector<GpuLoad> gpus;
  std::string remark;  // why there are none, if processes use GPUs
};

// Empty without a remark if none of the processes uses a GPU.
GpuLoads read_gpu_loads(const std::vector<ProcessState>& processes);

// "GPU 0 is idle (0 %); process 12 (python3) has 3.0 GiB of it"
std::string describe(const GpuLoad& gpu, const std::vector<ProcessState>& processes);

}  // namespace prof::live
