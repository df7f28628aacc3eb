#include "cli/monitor/sampler.hpp"

#include <time.h>

#include "collector/metrics/counter_source.hpp"
#include "common/base/raw_time.hpp"

namespace prof::cli {

namespace {

constexpr auto kTotals = metrics::TotalsAs::kRates;

// Selects the counters of an interface that the tables of the screen and scripts need.
bool is_traffic(const std::string& name) {
  return name == "tx_bytes" || name == "rx_bytes" || name == "tx_packets" || name == "rx_packets" ||
         name == "tx_dropped" || name == "rx_dropped";
}

}  // namespace

MonitorSampler::MonitorSampler(const nvml::GpuSelection& gpus, const metrics::SystemRoot& root) {
  add_gpus(gpus);
  add(metrics::cpu_readers(root));
  add(metrics::cpu_frequency_readers(root));
  add(metrics::memory_readers(root));
  add(metrics::network_readers(root, {}, is_traffic));
  add(metrics::infiniband_readers(root, {}));
  add(metrics::efa_readers(root, {}));
  add(metrics::disk_readers(root, {}));
  add(metrics::nfs_readers(root, {}));
  add(metrics::lustre_readers(root, "", {}));
}

void MonitorSampler::add(metrics::CounterReaders readers) {
  for (auto& reader : readers) {
    const std::size_t size = reader->group().counters.size();
    if (size == 0) continue;
    const std::vector<double> nothing(size, metrics::kNoValue);
    entries_.push_back({std::move(reader), nothing, nothing, 0});
  }
}

void MonitorSampler::add_gpus(const nvml::GpuSelection& selection) {
  const auto found = selection.find();
  if (!found) {
    remark_ = "No GPUs: " + found.error().message;
    return;
  }
  for (const nvml::Gpu& gpu : *found) {
    metrics::CounterReaders readers;
    readers.push_back(make_load_reader(gpu));
    readers.push_back(make_throttling_reader(gpu));
    readers.push_back(make_meter_reader(gpu, nvml::PciePolicy::kAlsoMeasure));
    readers.push_back(make_state_reader(gpu));
    add(std::move(readers));
    processes_.emplace_back(gpu.index, nvml::GpuProcesses(gpu));
    nvml::Memory memory{};
    gpu.library->memory(gpu.device, &memory);
    gpus_.push_back({gpu.index, nvml::text_of([&](char* text, unsigned size) {
                       return gpu.library->name(gpu.device, text, size);
                     }),
                     static_cast<double>(memory.total)});
  }
}

DeviceValues MonitorSampler::values_of(Entry& entry, std::uint64_t time) {
  const metrics::CounterGroup& group = entry.reader->group();
  DeviceValues device{group.domain, group.device, {}};
  const double seconds = entry.time == 0 ? 0 : static_cast<double>(time - entry.time) * 1e-9;
  for (std::size_t i = 0; i < group.counters.size(); ++i) {
    const auto& counter = group.counters[i];
    device.values.push_back(
        {counter.name, metrics::described(counter, kTotals).unit,
         metrics::derived_value(counter, kTotals, 0, entry.before[i], entry.now[i], seconds)});
  }
  entry.time = time;
  std::swap(entry.before, entry.now);
  return device;
}

GpuReadings MonitorSampler::take() {
  GpuReadings snapshot{static_cast<std::int64_t>(base::clock_ns(CLOCK_REALTIME)), {}, {}, {}};
  std::erase_if(entries_, [&](Entry& entry) {
    const auto outcome = entry.reader->read(entry.now);
    const std::uint64_t time = base::raw_time();
    if (outcome == metrics::ReadOutcome::kGone) {
      if (const std::string loss = entry.reader->loss(); !loss.empty()) remark_ = loss;
      return true;
    }
    snapshot.devices.push_back(values_of(entry, time));
    return false;
  });
  for (auto& [gpu, processes] : processes_)
    for (const nvml::GpuProcess& each : processes.read())
      snapshot.processes.push_back({gpu, each.pid, nvml::process_name(each.pid), each.computes,
                                    each.memory, each.sm, each.memory_busy, each.encoder,
                                    each.decoder});
  snapshot.cpu_processes = cpu_processes_.read(base::raw_time());
  return snapshot;
}

}  // namespace prof::cli
