#include "collector/metrics/gpu/gpu_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "collector/metrics/gpu/gpu_process.hpp"
#include "collector/metrics/gpu/metric_set.hpp"

namespace prof::metrics {

using base::fail;

namespace {

int attribute(const CuptiLibrary& cupti, CUdevice_attribute what, CUdevice device) {
  int value = 0;
  cupti.cuDeviceGetAttribute(&value, what, device);
  return value;
}

GpuDevice describe(const CuptiLibrary& cupti, int ordinal) {
  GpuDevice gpu;
  gpu.ordinal = static_cast<std::size_t>(ordinal);
  CUdevice device = 0;
  cupti.cuDeviceGet(&device, ordinal);
  char name[256] = "";
  cupti.cuDeviceGetName(name, sizeof name, device);
  gpu.name = name;
  gpu.location = fmt::format("{:04x}:{:02x}:{:02x}.0",
                             attribute(cupti, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, device),
                             attribute(cupti, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device),
                             attribute(cupti, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device));
  gpu.clock_khz =
      static_cast<std::uint32_t>(attribute(cupti, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device));
  PROF_SIZED_PARAMETERS(CUpti_Device_GetChipName, chip);
  chip.deviceIndex = gpu.ordinal;
  if (cupti.cuptiDeviceGetChipName(&chip) == CUPTI_SUCCESS && chip.pChipName != nullptr)
    gpu.chip = chip.pChipName;
  return gpu;
}

std::vector<std::string> split(const std::string& word) {
  std::vector<std::string> parts;
  std::istringstream stream(word);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::string ids_of(const std::vector<GpuDevice>& gpus) {
  std::string text;
  for (const GpuDevice& gpu : gpus) text += (text.empty() ? "" : ", ") + std::to_string(gpu.id);
  return text;
}

}  // namespace

base::Result<std::vector<GpuDevice>> find_gpus(const CuptiLibrary& cupti,
                                               std::vector<std::string> locations) {
  int count = 0;
  if (cupti.cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0)
    return fail("NVIDIA's driver finds no GPU");
  std::vector<GpuDevice> gpus;
  for (int ordinal = 0; ordinal < count; ++ordinal) gpus.push_back(describe(cupti, ordinal));
  std::ranges::sort(gpus, {}, &GpuDevice::location);
  const bool knows_all = std::ranges::all_of(gpus, [&](const GpuDevice& gpu) {
    return std::ranges::binary_search(locations, gpu.location);
  });
  std::uint32_t next = 0;
  for (GpuDevice& gpu : gpus)
    gpu.id = knows_all ? static_cast<std::uint32_t>(
                             std::ranges::lower_bound(locations, gpu.location) - locations.begin())
                       : next++;
  return gpus;
}

base::Result<std::vector<GpuDevice>> select_gpus(const std::vector<GpuDevice>& gpus,
                                                 const std::string& word) {
  if (word == "all" || word == "cuda-visible") return gpus;
  std::vector<GpuDevice> selected;
  for (const std::string& part : split(word)) {
    const auto id = static_cast<std::uint32_t>(std::stoul(part));
    const auto found = std::ranges::find(gpus, id, &GpuDevice::id);
    if (found == gpus.end())
      return fail(
          fmt::format("--gpu-metrics-devices: there is no GPU {}, but {}", id, ids_of(gpus)));
    if (std::ranges::find(selected, id, &GpuDevice::id) == selected.end())
      selected.push_back(*found);
  }
  return selected;
}

std::string describe_gpus(const std::string& cupti_path, std::vector<std::string> locations) {
  std::string text =
      "Values of --gpu-metrics-devices: none, all, cuda-visible (those that CUDA_VISIBLE_DEVICES "
      "leaves), or numbers:\n";
  const auto cupti = CuptiLibrary::load(cupti_path);
  if (!cupti) return text + "  No GPU can be sampled: " + cupti.error().message + "\n";
  const auto gpus = find_gpus(*cupti, std::move(locations));
  if (!gpus) return text + "  No GPU can be sampled: " + gpus.error().message + "\n";
  for (const GpuDevice& gpu : *gpus)
    text += fmt::format("  {}  {} ({}), {}, set {}\n", gpu.id, gpu.name, gpu.location, gpu.chip,
                        default_set(gpu.chip).id);
  return text;
}

}  // namespace prof::metrics
