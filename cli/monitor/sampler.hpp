// Takes the snapshots of prof monitor.
#pragma once

#include <string>
#include <vector>

#include "cli/monitor/cpu_processes.hpp"
#include "cli/monitor/gpu_readings.hpp"
#include "collector/metrics/counter_reader.hpp"
#include "collector/metrics/nvml/gpu_processes.hpp"
#include "collector/metrics/nvml/gpu_selection.hpp"
#include "collector/metrics/system/system_readers.hpp"

namespace prof::cli {

class MonitorSampler {
 public:
  explicit MonitorSampler(const nvml::GpuSelection& gpus, const metrics::SystemRoot& root = {});

  // Returns the current values. Rates are those since the last call, so the first snapshot has
  // none.
  GpuReadings take();

  const std::vector<MonitoredGpu>& gpus() const { return gpus_; }
  // Why there are no GPUs, or what has happened to a GPU. Empty: nothing to report.
  const std::string& remark() const { return remark_; }

 private:
  struct Entry {
    std::unique_ptr<metrics::CounterReader> reader;
    std::vector<double> before, now;
    std::uint64_t time = 0;  // ns; 0: not read yet
  };
  void add(metrics::CounterReaders readers);
  void add_gpus(const nvml::GpuSelection& selection);
  static DeviceValues values_of(Entry& entry, std::uint64_t time);

  std::vector<Entry> entries_;
  std::vector<std::pair<unsigned, nvml::GpuProcesses>> processes_;
  CpuProcesses cpu_processes_;
  std::vector<MonitoredGpu> gpus_;
  std::string remark_;
};

}  // namespace prof::cli
