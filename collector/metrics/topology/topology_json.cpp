// The topology as JSON.
#include <nlohmann/json.hpp>

#include "collector/metrics/topology/gpu_topology.hpp"

namespace prof::metrics {

namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json numa_or_null(int node) { return node < 0 ? Json() : Json(node); }

Json describe(const GpuFacts& gpu, const SystemRoot& root) {
  const std::string obstacle = counter_obstacle(root, gpu);
  Json facts = {
      {"index", gpu.index}, {"name", gpu.name}, {"uuid", gpu.uuid}, {"location", gpu.location}};
  if (!gpu.failure.empty()) facts["failure"] = gpu.failure;
  facts["compute_capability"] = gpu.compute_capability
                                    ? Json(std::to_string(gpu.compute_capability->first) + "." +
                                           std::to_string(gpu.compute_capability->second))
                                    : Json();
  facts["memory_bytes"] = gpu.memory ? Json(static_cast<std::uint64_t>(*gpu.memory)) : Json();
  facts["clocks_mhz"] = {{"sm", or_null(gpu.sm_clock)},
                         {"sm_max", or_null(gpu.max_sm_clock)},
                         {"memory", or_null(gpu.memory_clock)},
                         {"memory_max", or_null(gpu.max_memory_clock)}};
  facts["power_w"] = {{"draw", or_null(gpu.power)},
                      {"limit", or_null(gpu.power_limit)},
                      {"default_limit", or_null(gpu.default_power_limit)},
                      {"min_limit", or_null(gpu.least_power_limit)},
                      {"max_limit", or_null(gpu.greatest_power_limit)}};
  facts["temperature_c"] = or_null(gpu.temperature);
  facts["pcie"] = {{"generation", or_null(gpu.pcie_generation)},
                   {"width", or_null(gpu.pcie_width)},
                   {"max_generation", or_null(gpu.max_pcie_generation)},
                   {"max_width", or_null(gpu.max_pcie_width)}};
  facts["nvlink"] = {{"active_links", gpu.active_nvlinks},
                     {"link_mb_s", or_null(gpu.nvlink_speed)}};
  facts["persistence_mode"] = or_null(gpu.persistence);
  facts["ecc"] = or_null(gpu.ecc);
  facts["mig"] = or_null(gpu.mig);
  facts["cpu_affinity"] = text_or_null(gpu.place.cpus);
  facts["numa_node"] = numa_or_null(gpu.place.numa_node);
  facts["gpu_numa_node"] = or_null(gpu.numa_node_of_memory);
  facts["gpu_metrics"] = {{"available", obstacle.empty()}, {"detail", obstacle}};
  facts["nvml_metrics"] = {{"available", gpu.failure.empty()}, {"detail", gpu.failure}};
  return facts;
}

}  // namespace

std::string describe_json(const GpuTopology& topology, const SystemRoot& root, int indent) {
  Json document = {
      {"driver_version", topology.driver_version}, {"nvml_version", topology.nvml_version},
      {"cuda_version", topology.cuda_version},     {"gpus", Json::array()},
      {"network_adapters", Json::array()},         {"paths", Json::array()}};
  std::vector<std::string> names;
  for (const GpuFacts& gpu : topology.gpus) {
    document["gpus"].push_back(describe(gpu, root));
    names.push_back("GPU" + std::to_string(gpu.index));
  }
  for (const Adapter& each : topology.adapters) {
    document["network_adapters"].push_back({{"name", each.name},
                                            {"location", text_or_null(each.location)},
                                            {"numa_node", numa_or_null(each.place.numa_node)},
                                            {"cpu_affinity", text_or_null(each.place.cpus)}});
    names.push_back(each.name);
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j)
      document["paths"].push_back(
          {{"from", names[i]}, {"to", names[j]}, {"path", text_or_null(topology.paths[i][j])}});
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace prof::metrics
