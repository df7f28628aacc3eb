// The places of devices on the PCI bus, and the connection between two of them, named as in
// `nvidia-smi topo -m`.
#pragma once

#include <string>
#include <vector>

#include "collector/metrics/system/system_readers.hpp"

namespace prof::metrics {

enum class Path : std::uint8_t {
  kSelf,
  kSwitch,      // PIX: at most one PCIe switch
  kSwitches,    // PXB: several switches, but not the CPU's host bridge
  kHostBridge,  // PHB: one host bridge
  kNode,        // NODE: several host bridges of one NUMA node
  kSystem,      // SYS: also the connection between NUMA nodes
};
const char* path_name(Path path);

struct PciPlace {
  std::vector<std::string> bridges;  // from the host bridge to the device itself; empty: unknown
  int numa_node = -1;                // -1: unknown, or the machine has only one node
  std::string cpus;                  // "0-15,32-47"
};

// `location` is such as "0000:1b:00.0".
PciPlace pci_place(const SystemRoot& root, const std::string& location);
Path path_between(const PciPlace& a, const PciPlace& b);

// Adapters of InfiniBand, RoCE and EFA, as nvidia-smi lists them.
struct Adapter {
  std::string name;      // mlx5_0
  std::string location;  // empty: not on the PCI bus
  PciPlace place;
};
std::vector<Adapter> network_adapters(const SystemRoot& root);

}  // namespace prof::metrics
