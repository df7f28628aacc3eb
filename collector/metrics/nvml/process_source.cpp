#include "collector/metrics/nvml/process_source.hpp"

#include <fmt/format.h>

#include <cmath>

namespace prof::nvml {

namespace {

std::uint32_t define(metrics::MetricBuffer& buffer, unsigned gpu, unsigned pid) {
  const std::string name = process_name(pid);
  using spool::CounterType;
  return buffer.define(
      {.name = fmt::format("NVML GPU {} process {}{}{}", gpu, pid, name.empty() ? "" : " ", name),
       .counters = {{"Memory Used", CounterType::kUint64, "bytes"},
                    {"SM Utilization", CounterType::kUint32, "%"},
                    {"Memory Utilization", CounterType::kUint32, "%"},
                    {"Encoder", CounterType::kUint32, "%"},
                    {"Decoder", CounterType::kUint32, "%"}}});
}

void add(metrics::MetricBuffer& buffer, std::uint32_t group, const GpuProcess& process) {
  const double values[] = {process.memory, process.sm, process.memory_busy, process.encoder,
                           process.decoder};
  std::vector<spool::MetricValue> kept(std::size(values));
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < std::size(values); ++i) {
    if (std::isnan(values[i]))
      missing |= std::uint64_t{1} << i;
    else
      kept[i] = static_cast<std::uint64_t>(values[i]);
  }
  if (missing != (std::uint64_t{1} << std::size(values)) - 1)
    buffer.add(group, metrics::now(), kept, missing);
}

}  // namespace

// Without GPUs, the source of the GPUs' counters reports the reason.
bool ProcessSource::open(metrics::MetricBuffer&) {
  for (const Gpu& gpu : find_gpus_()) entries_.push_back({gpu.index, GpuProcesses(gpu), {}});
  return !entries_.empty();
}

bool ProcessSource::sample(metrics::MetricBuffer& buffer) {
  for (Entry& entry : entries_) sample(buffer, entry);
  return true;
}

// A process that has ended uses nothing, so its curves go to 0.
void ProcessSource::sample(metrics::MetricBuffer& buffer, Entry& entry) {
  for (auto& [pid, known] : entry.known) known.is_seen = false;
  for (const GpuProcess& process : entry.processes.read()) {
    auto at = entry.known.find(process.pid);
    if (at == entry.known.end())
      at = entry.known.emplace(process.pid, Known{define(buffer, entry.gpu, process.pid), true})
               .first;
    at->second.is_seen = true;
    add(buffer, at->second.group, process);
  }
  std::erase_if(entry.known, [&](const auto& each) {
    if (!each.second.is_seen) add(buffer, each.second.group, GpuProcess{});
    return !each.second.is_seen;
  });
}

}  // namespace prof::nvml
