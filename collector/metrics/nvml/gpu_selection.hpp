// Selects the GPUs to read.
#pragma once

#include <string>
#include <vector>

#include "collector/metrics/nvml/gpu_reader.hpp"

namespace prof::nvml {

class GpuSelection {
 public:
  // `words`: "all", "cuda-visible" or numbers of nvidia-smi, separated by commas; empty:
  // cuda-visible. `cuda_visible`: the value of CUDA_VISIBLE_DEVICES; empty: all GPUs.
  static base::Result<GpuSelection> parse(const std::string& words,
                                          const std::string& cuda_visible);
  // Opens NVML and returns the selected GPUs. An error says what is missing: NVML, or all selected
  // GPUs.
  base::Result<std::vector<Gpu>> find() const;

 private:
  bool takes(const Gpu& gpu) const;

  std::vector<std::string> wanted_;  // numbers or the beginnings of UUIDs; empty: all
};

}  // namespace prof::nvml
