// The values that prof monitor shows for one moment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prof::cli {

struct CounterValue {
  std::string name;
  std::string unit;  // sums have become rates: "bytes/s"
  double value;      // NaN: unknown this time
};

struct DeviceValues {
  std::string domain;  // "NVML", "CPU", "Network", …
  std::string device;
  std::vector<CounterValue> values;

  // The value of a counter. NaN if there is no such counter.
  double value(std::string_view counter) const;
};

struct ProcessValues {
  unsigned gpu = 0;
  unsigned pid = 0;
  std::string name;
  bool computes = false;
  double memory = 0;  // bytes
  double sm = 0;      // percent, as the following
  double memory_busy = 0;
  double encoder = 0;
  double decoder = 0;
};

// A process that was on a CPU.
struct CpuProcess {
  unsigned pid = 0;
  std::string name;
  double cpu = 0;     // percent of one CPU
  double memory = 0;  // bytes in memory
};

struct GpuReadings {
  std::int64_t time = 0;  // ns since the epoch
  std::vector<DeviceValues> devices;
  std::vector<ProcessValues> processes;   // on GPUs
  std::vector<CpuProcess> cpu_processes;  // the one with the most time first

  std::vector<const DeviceValues*> of(std::string_view domain) const;
};

// The properties of a GPU that do not change.
struct MonitoredGpu {
  unsigned index = 0;
  std::string name;
  double memory = 0;  // bytes
};

}  // namespace prof::cli
