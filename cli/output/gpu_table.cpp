#include "cli/output/gpu_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace prof::cli {

namespace {

using metrics::GpuFacts;
using metrics::GpuTopology;
using Cells = std::vector<std::vector<std::string>>;

// Returns "1980 of 2619 MHz".
std::string pair_text(const auto& value, const auto& most, const char* unit) {
  if (!value) return "unknown";
  if (!most) return fmt::format("{} {}", *value, unit);
  return fmt::format("{} of {} {}", *value, *most, unit);
}

std::string power_text(const GpuFacts& gpu) {
  std::string text = pair_text(gpu.power, gpu.power_limit, "W");
  if (gpu.least_power_limit && gpu.greatest_power_limit && gpu.default_power_limit)
    text += fmt::format(" (limit: {} to {} W, default {} W)", *gpu.least_power_limit,
                        *gpu.greatest_power_limit, *gpu.default_power_limit);
  return text;
}

std::string pcie_text(const GpuFacts& gpu) {
  if (!gpu.pcie_generation || !gpu.pcie_width) return "unknown";
  std::string text = fmt::format("generation {} x{}", *gpu.pcie_generation, *gpu.pcie_width);
  if (gpu.max_pcie_generation && gpu.max_pcie_width)
    text +=
        fmt::format(" (at most generation {} x{})", *gpu.max_pcie_generation, *gpu.max_pcie_width);
  return text;
}

std::string modes_text(const GpuFacts& gpu) {
  std::string text;
  const auto add = [&](const char* name, const std::optional<bool>& mode) {
    if (!mode) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, *mode ? "on" : "off");
  };
  add("persistence", gpu.persistence);
  add("ECC", gpu.ecc);
  add("MIG", gpu.mig);
  return text;
}

std::string nvlink_text(const GpuFacts& gpu) {
  if (gpu.active_nvlinks == 0) return "none";
  constexpr double kMegabytesPerGigabyte = 1e3;
  if (!gpu.nvlink_speed) return fmt::format("{} links", gpu.active_nvlinks);
  return fmt::format("{} links of {:.3g} GB/s in each direction", gpu.active_nvlinks,
                     *gpu.nvlink_speed / kMegabytesPerGigabyte);
}

std::string gpu_text(const GpuFacts& gpu, const metrics::SystemRoot& root) {
  std::string text =
      fmt::format("GPU {}: {}\n", gpu.index, gpu.name.empty() ? "not available" : gpu.name);
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<14} {}\n", name, value);
  };
  if (!gpu.failure.empty()) return text + "  " + gpu.failure + "\n";
  constexpr double kGibi = 1 << 30;
  add("location", gpu.location);
  add("uuid", gpu.uuid);
  if (gpu.compute_capability)
    add("capability",
        fmt::format("{}.{}", gpu.compute_capability->first, gpu.compute_capability->second));
  if (gpu.memory) add("memory", fmt::format("{:.1f} GiB", *gpu.memory / kGibi));
  add("SM clock", pair_text(gpu.sm_clock, gpu.max_sm_clock, "MHz"));
  add("memory clock", pair_text(gpu.memory_clock, gpu.max_memory_clock, "MHz"));
  add("power", power_text(gpu));
  if (gpu.temperature) add("temperature", fmt::format("{} C", *gpu.temperature));
  add("PCIe", pcie_text(gpu));
  add("NVLink", nvlink_text(gpu));
  add("modes", modes_text(gpu));
  const std::string obstacle = metrics::counter_obstacle(root, gpu);
  add("GPU metrics", obstacle.empty() ? "yes (--gpu-metrics-devices)" : "no: " + obstacle);
  add("NVML metrics", "yes (--enable=nvml_metrics)");
  return text;
}

std::string or_na(const std::string& text) { return text.empty() ? "N/A" : text; }

// Returns a matrix with a row for each GPU and adapter, and a column for each.
Cells matrix(const GpuTopology& topology) {
  Cells rows(1, {""});
  std::vector<std::string> names;
  for (const GpuFacts& gpu : topology.gpus) names.push_back(fmt::format("GPU{}", gpu.index));
  for (std::size_t i = 0; i < topology.adapters.size(); ++i)
    names.push_back(fmt::format("NIC{}", i));
  rows[0].insert(rows[0].end(), names.begin(), names.end());
  for (const char* title : {"CPU Affinity", "NUMA Affinity", "GPU NUMA ID"})
    rows[0].emplace_back(title);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string> row{names[i]};
    for (const std::string& path : topology.paths[i]) row.push_back(or_na(path));
    if (i < topology.gpus.size()) {
      const GpuFacts& gpu = topology.gpus[i];
      row.push_back(or_na(gpu.place.cpus));
      row.push_back(gpu.place.numa_node < 0 ? "N/A" : std::to_string(gpu.place.numa_node));
      row.push_back(gpu.numa_node_of_memory ? std::to_string(*gpu.numa_node_of_memory) : "N/A");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string aligned(const Cells& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("  {:<{}}", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// Explains only the names that the matrix contains.
std::string legend(const GpuTopology& topology) {
  std::set<std::string> used;
  for (const auto& row : topology.paths) used.insert(row.begin(), row.end());
  std::string text;
  const auto add = [&](const char* name, const char* meaning) {
    if (used.contains(name)) text += fmt::format("  {:<5} {}\n", name, meaning);
  };
  if (std::ranges::any_of(used, [](const auto& name) { return name.starts_with("NV"); }))
    text += fmt::format("  {:<5} {}\n", "NV#", "# NVLinks");
  add("PIX", "at most one PCIe switch");
  add("PXB", "several PCIe switches, but no host bridge of a CPU");
  add("PHB", "a host bridge of a CPU");
  add("NODE", "host bridges of one NUMA node");
  add("SYS", "the connection between NUMA nodes");
  for (std::size_t i = 0; i < topology.adapters.size(); ++i)
    text += fmt::format("  {:<5} {}\n", fmt::format("NIC{}", i), topology.adapters[i].name);
  return text;
}

}  // namespace

std::string gpu_table(const GpuTopology& topology, const metrics::SystemRoot& root) {
  std::string text = fmt::format("driver {}, NVML {}, CUDA {}\n", or_na(topology.driver_version),
                                 or_na(topology.nvml_version), or_na(topology.cuda_version));
  for (const GpuFacts& gpu : topology.gpus) text += "\n" + gpu_text(gpu, root);
  text += "\nPaths\n" + aligned(matrix(topology));
  const std::string names = legend(topology);
  return names.empty() ? text : text + "\n" + names;
}

}  // namespace prof::cli
