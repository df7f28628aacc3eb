// Samples of the memory and the utilization of each process on a GPU.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "collector/metrics/nvml/gpu_processes.hpp"
#include "collector/metrics/polling_thread.hpp"

namespace prof::nvml {

class ProcessSource final : public metrics::PolledSource {
 public:
  // `find_gpus` is called on the thread that samples.
  explicit ProcessSource(std::function<std::vector<Gpu>()> find_gpus)
      : find_gpus_(std::move(find_gpus)) {}

  bool open(metrics::MetricBuffer& buffer) override;
  bool sample(metrics::MetricBuffer& buffer) override;

 private:
  struct Known {
    std::uint32_t group;
    bool is_seen;
  };
  struct Entry {
    unsigned gpu;
    GpuProcesses processes;
    std::map<unsigned, Known> known;  // by pid
  };
  static void sample(metrics::MetricBuffer& buffer, Entry& entry);

  std::function<std::vector<Gpu>()> find_gpus_;
  std::vector<Entry> entries_;
};

}  // namespace prof::nvml
