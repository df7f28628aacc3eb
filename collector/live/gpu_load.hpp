// How busy the GPUs are that processes use.
#pragma once

#include <string>
#include <vector>

#include "collector/live/snapshot.hpp"

namespace prof::live {

struct GpuLoad {
  unsigned index = 0;
  double busy = 0;  // percent, recently; NaN: not known
  struct Use {
    pid_t pid = 0;
    double memory = 0;  // bytes; NaN: not known
  };
  std::vector<Use> uses;  // use by the processes that are looked at
};

struct GpuLoads {
  std::vector<GpuLoad> gpus;
  std::string remark;  // why the list is empty although processes use GPUs
};

// Returns nothing, and no remark, if none of the processes uses a GPU.
GpuLoads read_gpu_loads(const std::vector<ProcessState>& processes);

// Returns a text such as "GPU 0 is idle (0 %); process 12 (python3) has 3.0 GiB of it".
std::string describe(const GpuLoad& gpu, const std::vector<ProcessState>& processes);

}  // namespace prof::live
