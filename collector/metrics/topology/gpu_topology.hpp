// The GPUs of the machine: their properties, how they are connected, and what prof can measure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/metrics/nvml/nvml_library.hpp"
#include "collector/metrics/topology/pci_path.hpp"

namespace prof::metrics {

// Facts that NVML does not know are empty.
struct GpuFacts {
  unsigned index = 0;
  std::string name;
  std::string uuid;
  std::string location;  // "0000:1b:00.0"
  std::optional<std::pair<int, int>> compute_capability;
  std::optional<double> memory;                                                    // bytes
  std::optional<unsigned> sm_clock, max_sm_clock, memory_clock, max_memory_clock;  // MHz
  std::optional<double> power, power_limit, default_power_limit;                   // W
  std::optional<double> least_power_limit, greatest_power_limit;                   // W
  std::optional<unsigned> temperature;                                             // C
  std::optional<unsigned> pcie_generation, pcie_width, max_pcie_generation, max_pcie_width;
  std::optional<bool> persistence, ecc, mig;
  std::optional<unsigned> numa_node_of_memory;  // only for GPUs whose memory is a NUMA node
  unsigned active_nvlinks = 0;
  std::optional<unsigned> nvlink_speed;  // of one link and direction, MB/s
  PciPlace place;
  std::string failure;  // why NVML has no facts about the GPU
};

struct GpuTopology {
  std::string driver_version;
  std::string nvml_version;
  std::string cuda_version;  // the newest that the driver supports
  std::vector<GpuFacts> gpus;
  std::vector<Adapter> adapters;
  // The connection between each two devices: GPUs first, then adapters. "NV18", "PIX", …; "X" for a
  // device and itself.
  std::vector<std::vector<std::string>> paths;
};

// An error says in one line why no GPUs were found.
base::Result<GpuTopology> find_gpus(const SystemRoot& root = {});

// Returns why prof cannot use the performance counters of GPUs; empty: prof sees no reason before
// it uses them.
std::string counter_obstacle(const SystemRoot& root, const GpuFacts& gpu);

// Returns the topology as JSON, for scripts and for reports.
std::string describe_json(const GpuTopology& topology, const SystemRoot& root, int indent);

}  // namespace prof::metrics
