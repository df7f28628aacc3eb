#include "collector/live/gpu_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collector/metrics/nvml/gpu_processes.hpp"
#include "collector/metrics/nvml/gpu_selection.hpp"

namespace prof::live {

namespace {

double utilization_of(const nvml::Gpu& gpu) {
  const auto reader = nvml::make_load_reader(gpu);
  const auto& counters = reader->group().counters;
  std::vector<double> values(counters.size(), metrics::kNoValue);
  if (reader->read(values) != metrics::ReadOutcome::kRead) return metrics::kNoValue;
  for (std::size_t i = 0; i < counters.size(); ++i)
    if (counters[i].name == "GPU Utilization") return values[i];
  return metrics::kNoValue;
}

GpuLoad load_of(const nvml::Gpu& gpu, const std::vector<ProcessState>& processes) {
  GpuLoad load{gpu.index, utilization_of(gpu), {}};
  for (const nvml::GpuProcess& each : nvml::GpuProcesses(gpu).read())
    if (std::ranges::any_of(processes, [&](const ProcessState& state) {
          return static_cast<unsigned>(state.process.pid) == each.pid;
        }))
      load.uses.push_back({static_cast<pid_t>(each.pid), each.memory});
  return load;
}

}  // namespace

GpuLoads read_gpu_loads(const std::vector<ProcessState>& processes) {
  GpuLoads loads;
  if (std::ranges::none_of(processes, &ProcessState::uses_gpu)) return loads;
  const auto selection = nvml::GpuSelection::parse("all", "");
  const auto gpus = selection ? selection->find() : tl::make_unexpected(selection.error());
  if (!gpus) {
    loads.remark = "GPUs cannot be read: " + gpus.error().message;
    return loads;
  }
  for (const nvml::Gpu& each : *gpus) loads.gpus.push_back(load_of(each, processes));
  // In a container NVML reports other process ids. Then all GPUs are shown.
  const auto is_used = [](const GpuLoad& each) { return !each.uses.empty(); };
  if (std::ranges::any_of(loads.gpus, is_used))
    std::erase_if(loads.gpus, [&](const GpuLoad& each) { return !is_used(each); });
  return loads;
}

std::string describe(const GpuLoad& gpu, const std::vector<ProcessState>& processes) {
  constexpr double kGibi = 1 << 30;
  std::string text = fmt::format("GPU {} ", gpu.index);
  if (std::isnan(gpu.busy))
    text += "does not say whether it is busy";
  else
    text += fmt::format("is {} ({:.0f} %)", gpu.busy > 0 ? "busy" : "idle", gpu.busy);
  const char* separator = "; ";
  for (const GpuLoad::Use& each : gpu.uses)
    for (const ProcessState& state : processes)
      if (state.process.pid == each.pid && !std::isnan(each.memory)) {
        text += fmt::format("{}{} has {:.1f} GiB of it", separator, label(state.process),
                            each.memory / kGibi);
        separator = ", ";
      }
  return text;
}

}  // namespace prof::live
