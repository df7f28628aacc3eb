#include "collector/metrics/topology/gpu_topology.hpp"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <set>

#include "collector/metrics/system/stat_file.hpp"

namespace prof::metrics {

namespace {

using nvml::Ancestor;
using nvml::Device;
using nvml::Library;
using nvml::Return;

constexpr double kMilliwatts = 1e-3;

// Returns the value that a function of NVML writes, or nothing if the function fails.
template <class Value, class Call>
std::optional<Value> ask(Call call) {
  Value value{};
  if (call(&value) != Return::kSuccess) return std::nullopt;
  return value;
}

std::optional<double> watts(const std::optional<unsigned>& milliwatts) {
  if (!milliwatts) return std::nullopt;
  return *milliwatts * kMilliwatts;
}

// NVML writes a switch as 0 or 1.
template <class Number>
std::optional<bool> is_on(const std::optional<Number>& state) {
  if (!state) return std::nullopt;
  return *state != 0;
}

void add_clocks_and_power(const Library& nvml, Device gpu, GpuFacts& facts) {
  const auto clock = [&](const auto& function, nvml::Clock which) {
    return ask<unsigned>([&](unsigned* to) { return function(gpu, which, to); });
  };
  facts.sm_clock = clock(nvml.clock, nvml::Clock::kSm);
  facts.max_sm_clock = clock(nvml.max_clock, nvml::Clock::kSm);
  facts.memory_clock = clock(nvml.clock, nvml::Clock::kMemory);
  facts.max_memory_clock = clock(nvml.max_clock, nvml::Clock::kMemory);
  const auto number = [&](const auto& function) {
    return ask<unsigned>([&](unsigned* to) { return function(gpu, to); });
  };
  facts.power = watts(number(nvml.power));
  facts.power_limit = watts(number(nvml.enforced_power_limit));
  facts.default_power_limit = watts(number(nvml.default_power_limit));
  unsigned least = 0;
  unsigned greatest = 0;
  if (nvml.power_limits(gpu, &least, &greatest) == Return::kSuccess) {
    facts.least_power_limit = least * kMilliwatts;
    facts.greatest_power_limit = greatest * kMilliwatts;
  }
  facts.temperature = ask<unsigned>([&](unsigned* to) { return nvml.temperature(gpu, 0, to); });
  facts.pcie_generation = number(nvml.pcie_generation);
  facts.pcie_width = number(nvml.pcie_width);
  facts.max_pcie_generation = number(nvml.max_pcie_generation);
  facts.max_pcie_width = number(nvml.max_pcie_width);
}

void add_modes(const Library& nvml, Device gpu, GpuFacts& facts) {
  facts.persistence = is_on(ask<int>([&](int* to) { return nvml.persistence(gpu, to); }));
  int pending = 0;
  facts.ecc = is_on(ask<int>([&](int* to) { return nvml.ecc_mode(gpu, to, &pending); }));
  unsigned pending_mig = 0;
  facts.mig =
      is_on(ask<unsigned>([&](unsigned* to) { return nvml.mig_mode(gpu, to, &pending_mig); }));
  facts.numa_node_of_memory = ask<unsigned>([&](unsigned* to) { return nvml.numa_node(gpu, to); });
}

bool is_link_active(const Library& nvml, Device gpu, unsigned link) {
  return ask<int>([&](int* to) { return nvml.link_state(gpu, link, to); }).value_or(0) != 0;
}

void add_links(const Library& nvml, Device gpu, GpuFacts& facts) {
  for (unsigned link = 0; link < nvml::kMaxLinks; ++link)
    facts.active_nvlinks += is_link_active(nvml, gpu, link) ? 1 : 0;
  for (const unsigned field : {nvml::kFieldNvLinkSpeed, nvml::kFieldNvLinkSpeedOf}) {
    nvml::FieldValue speed{};
    speed.field = field;
    const bool known = nvml.field_values(gpu, 1, &speed) == Return::kSuccess &&
                       speed.result == Return::kSuccess && speed.value.as_unsigned > 0;
    if (facts.active_nvlinks > 0 && known) facts.nvlink_speed = speed.value.as_unsigned;
  }
}

// Returns the lowest NUMA node near the GPU, as nvidia-smi shows it; sysfs does not always know the
// node.
int near_node(const Library& nvml, Device gpu, int by_sysfs) {
  unsigned long nodes = 0;
  constexpr int kNodeScope = 0;
  if (by_sysfs >= 0 || nvml.memory_affinity(gpu, 1, &nodes, kNodeScope) != Return::kSuccess)
    return by_sysfs;
  return nodes == 0 ? by_sysfs : std::countr_zero(nodes);
}

GpuFacts describe(const SystemRoot& root, const Library& nvml, Device gpu, unsigned index) {
  GpuFacts facts;
  facts.index = index;
  if (gpu == nullptr) {
    facts.failure = "the driver does not let this user have it, or it is lost";
    return facts;
  }
  facts.name = nvml::text_of([&](char* to, unsigned size) { return nvml.name(gpu, to, size); });
  facts.uuid = nvml::text_of([&](char* to, unsigned size) { return nvml.uuid(gpu, to, size); });
  facts.location = nvml::location_of(nvml, gpu);
  facts.place = pci_place(root, facts.location);
  facts.place.numa_node = near_node(nvml, gpu, facts.place.numa_node);
  int major = 0;
  int minor = 0;
  if (nvml.compute_capability(gpu, &major, &minor) == Return::kSuccess)
    facts.compute_capability = {major, minor};
  if (const auto memory = ask<nvml::Memory>([&](auto* to) { return nvml.memory(gpu, to); }))
    facts.memory = static_cast<double>(memory->total);
  add_clocks_and_power(nvml, gpu, facts);
  add_modes(nvml, gpu, facts);
  add_links(nvml, gpu, facts);
  return facts;
}

// Returns the number of links between two GPUs: direct links, or links to switches, which all GPUs
// share.
unsigned links_between(const Library& nvml, Device a, Device b, const std::string& location_of_b) {
  unsigned links = 0;
  const auto count_to_switches = [&](Device gpu) {
    unsigned count = 0;
    for (unsigned link = 0; link < nvml::kMaxLinks; ++link) {
      const auto peer =
          ask<nvml::LinkPeer>([&](auto* to) { return nvml.link_peer(gpu, link, to); });
      count += is_link_active(nvml, gpu, link) && peer == nvml::LinkPeer::kSwitch ? 1 : 0;
    }
    return count;
  };
  for (unsigned link = 0; link < nvml::kMaxLinks; ++link) {
    if (!is_link_active(nvml, a, link)) continue;
    const auto peer = ask<nvml::PciInfo>([&](auto* to) { return nvml.link_peer_pci(a, link, to); });
    links += peer && nvml::location_of(*peer) == location_of_b ? 1 : 0;
  }
  return links > 0 ? links : std::min(count_to_switches(a), count_to_switches(b));
}

std::string path_by_driver(const Library& nvml, Device a, Device b) {
  const auto ancestor = ask<Ancestor>([&](Ancestor* to) { return nvml.common_ancestor(a, b, to); });
  if (!ancestor) return "";
  switch (*ancestor) {
    case Ancestor::kInternal:
    case Ancestor::kSingle:
      return path_name(Path::kSwitch);
    case Ancestor::kMultiple:
      return path_name(Path::kSwitches);
    case Ancestor::kHostBridge:
      return path_name(Path::kHostBridge);
    case Ancestor::kNode:
      return path_name(Path::kNode);
    case Ancestor::kSystem:
      return path_name(Path::kSystem);
  }
  return "";
}

std::string path_between_gpus(const Library& nvml, Device a, Device b, const GpuFacts& facts_of_a,
                              const GpuFacts& facts_of_b) {
  if (a == nullptr || b == nullptr) return "";
  if (const unsigned links = links_between(nvml, a, b, facts_of_b.location); links > 0)
    return fmt::format("NV{}", links);
  const std::string path = path_by_driver(nvml, a, b);
  return path.empty() ? path_name(path_between(facts_of_a.place, facts_of_b.place)) : path;
}

void add_paths(const Library& nvml, const std::vector<Device>& devices, GpuTopology& topology) {
  const std::size_t gpus = topology.gpus.size();
  const std::size_t size = gpus + topology.adapters.size();
  const auto place = [&](std::size_t i) -> const PciPlace& {
    return i < gpus ? topology.gpus[i].place : topology.adapters[i - gpus].place;
  };
  topology.paths.assign(size, std::vector<std::string>(size));
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      std::string& path = topology.paths[i][j];
      if (i == j)
        path = path_name(Path::kSelf);
      else if (i < gpus && j < gpus)
        path = path_between_gpus(nvml, devices[i], devices[j], topology.gpus[i], topology.gpus[j]);
      else if (!place(i).bridges.empty() && !place(j).bridges.empty())
        path = path_name(path_between(place(i), place(j)));
    }
}

// Administrators may always use the counters.
bool is_administrator() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  return (data[0].effective & (1U << CAP_SYS_ADMIN)) != 0;
}

}  // namespace

base::Result<GpuTopology> find_gpus(const SystemRoot& root) {
  const auto library = Library::open();
  if (!library) return tl::make_unexpected(library.error());
  const Library& nvml = **library;
  const std::vector<Device> devices = nvml.devices();
  if (devices.empty()) return base::fail("the NVIDIA driver has no GPU for this user");
  GpuTopology topology;
  topology.driver_version = nvml::text_of(nvml.driver_version);
  topology.nvml_version = nvml::text_of(nvml.nvml_version);
  if (const auto version = ask<int>(nvml.cuda_version))
    topology.cuda_version = fmt::format("{}.{}", *version / 1000, *version % 1000 / 10);
  for (unsigned i = 0; i < devices.size(); ++i)
    topology.gpus.push_back(describe(root, nvml, devices[i], i));
  topology.adapters = network_adapters(root);
  add_paths(nvml, devices, topology);
  return topology;
}

std::string counter_obstacle(const SystemRoot& root, const GpuFacts& gpu) {
  constexpr std::pair<int, int> kTuring{7, 5};
  if (!gpu.failure.empty()) return gpu.failure;
  if (gpu.compute_capability && *gpu.compute_capability < kTuring)
    return "GPUs before Turing (compute capability 7.5) are not supported";
  if (gpu.mig.value_or(false))
    return "the GPU is in MIG mode, in which counters of the whole device are not available";
  StatFile parameters(root.proc + "/driver/nvidia/params");
  const bool is_restricted = number_after(parameters.read(), "RmProfilingAdminOnly") == 1;
  if (is_restricted && !is_administrator())
    return "the driver lets only administrators use the counters: run prof as root, or load the "
           "kernel module nvidia with NVreg_RestrictProfilingToAdminUsers=0";
  return "";
}

}  // namespace prof::metrics
