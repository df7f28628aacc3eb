// Plans the passes of metrics: which of them a chip has, and how often a kernel must run for them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "collector/metrics/kernels/kernel_set.hpp"
#include "common/base/result.hpp"

namespace prof::metrics {

struct PassPlan {
  std::vector<std::string> metrics{};
  std::vector<std::string> unknown{};  // wanted for this chip, but CUPTI does not know them
  std::size_t passes = 0;
  // SASS metrics. They take a launch without counters. CUPTI knows them on a machine with a GPU
  // only.
  std::vector<std::string> by_instruction{};
};

// What --replay=rotate does: the first launch of a kernel has all metrics that fit into one pass,
// and each further one makes a pass for the others.
struct RotationPlan {
  std::size_t in_first = 0;  // metrics
  std::size_t launches = 0;
};

enum class MetricKind { kCounter, kRatio, kThroughput };

struct MetricFacts {
  std::string name{};
  MetricKind kind{};
  std::string unit{};
  std::string description{};
};

struct HostLibrary;

class PassPlanner {
 public:
  // `cupti_path`: the libcupti to use; empty: search for one.
  static base::Result<PassPlanner> create(const std::string& cupti_path);

  // Returns the chips that CUPTI can plan for.
  std::vector<std::string> chips() const;
  // Returns the chip of the machine's first GPU; empty if there is none.
  std::string chip_of_first_gpu() const;
  // Fails if the chip is unknown, or its counters cannot be read in launches of kernels.
  base::Result<PassPlan> plan(const std::string& chip,
                              const std::vector<KernelMetric>& wanted) const;
  // `metrics`: those of a plan for the chip.
  RotationPlan rotation(const std::string& chip, const std::vector<std::string>& metrics) const;
  // Returns the base metrics of the chip, sorted by name.
  base::Result<std::vector<MetricFacts>> list(const std::string& chip) const;
  // Returns the base metrics of which a throughput is the maximum (throughput_inputs.hpp).
  base::Result<std::vector<std::string>> inputs(const std::string& chip,
                                                const std::string& throughput) const;

 private:
  explicit PassPlanner(const HostLibrary& cupti);

  std::shared_ptr<const HostLibrary> cupti_;
};

}  // namespace prof::metrics
