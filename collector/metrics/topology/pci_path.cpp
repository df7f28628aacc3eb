#include "collector/metrics/topology/pci_path.hpp"

#include <algorithm>
#include <filesystem>

#include "collector/metrics/system/stat_file.hpp"

namespace prof::metrics {

namespace {

namespace fs = std::filesystem;

// A switch has a port on each of its sides, so two devices below one switch are two steps below the
// port that they share.
constexpr std::ptrdiff_t kStepsBelowOneSwitch = 2;

bool is_function(const std::string& name) {  // "0000:1b:00.0"
  return name.size() >= 12 && name.find(':') == 4 && name.find('.') != std::string::npos;
}

std::string first_line(const std::string& path) {
  StatFile file(path);
  std::string_view text = file.read();
  return std::string(take_line(text));
}

}  // namespace

const char* path_name(Path path) {
  switch (path) {
    case Path::kSelf:
      return "X";
    case Path::kSwitch:
      return "PIX";
    case Path::kSwitches:
      return "PXB";
    case Path::kHostBridge:
      return "PHB";
    case Path::kNode:
      return "NODE";
    case Path::kSystem:
      return "SYS";
  }
  return "";
}

PciPlace pci_place(const SystemRoot& root, const std::string& location) {
  PciPlace place;
  const std::string folder = root.sys + "/bus/pci/devices/" + location;
  std::error_code error;
  const fs::path path = fs::canonical(folder, error);
  if (location.empty() || error) return place;
  for (const fs::path& part : path) {
    const std::string name = part.string();
    if (name.starts_with("pci") || (!place.bridges.empty() && is_function(name)))
      place.bridges.push_back(name);
  }
  place.numa_node = static_cast<int>(StatFile(folder + "/numa_node").read_number().value_or(-1));
  place.cpus = first_line(folder + "/local_cpulist");
  return place;
}

Path path_between(const PciPlace& a, const PciPlace& b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a.bridges, b.bridges);
  const std::ptrdiff_t shared = in_a - a.bridges.begin();
  const std::ptrdiff_t steps = std::max(a.bridges.end() - in_a, b.bridges.end() - in_b);
  if (shared > 0 && steps == 0) return Path::kSelf;
  if (shared == 1) return Path::kHostBridge;
  if (shared > 1) return steps <= kStepsBelowOneSwitch ? Path::kSwitch : Path::kSwitches;
  return a.numa_node == b.numa_node ? Path::kNode : Path::kSystem;
}

std::vector<Adapter> network_adapters(const SystemRoot& root) {
  std::vector<Adapter> adapters;
  const std::string folder = root.sys + "/class/infiniband/";
  for (const std::string& name : entries_of(folder)) {
    std::error_code error;
    const fs::path device = fs::canonical(folder + name + "/device", error);
    const std::string location =
        error || !is_function(device.filename().string()) ? "" : device.filename().string();
    adapters.push_back({name, location, pci_place(root, location)});
  }
  return adapters;
}

}  // namespace prof::metrics
