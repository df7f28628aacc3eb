// The GPUs that can be sampled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/metrics/gpu/cupti_library.hpp"

namespace prof::metrics {

struct GpuDevice {
  std::size_t ordinal = 0;  // in CUDA and CUPTI, of this process
  std::uint32_t id = 0;     // rank by PCI location
  std::string name{};
  std::string location{};  // on the PCI bus: "0000:06:00.0"
  std::string chip{};
  std::uint32_t clock_khz = 0;
};

// Returns the GPUs that the process may use, lowest id first. `locations`: of all GPUs of the
// machine, lowest first; empty: those found.
base::Result<std::vector<GpuDevice>> find_gpus(const CuptiLibrary& cupti,
                                               std::vector<std::string> locations);

// Returns the GPUs that an option names: "all", "cuda-visible" or ids separated by commas.
base::Result<std::vector<GpuDevice>> select_gpus(const std::vector<GpuDevice>& gpus,
                                                 const std::string& word);

}  // namespace prof::metrics
