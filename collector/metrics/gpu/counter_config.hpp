// What a GPU has to be told to count the metrics of a set, and how to compute them of its counters.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collector/metrics/gpu/cupti_library.hpp"
#include "collector/metrics/gpu/gpu_devices.hpp"
#include "collector/metrics/gpu/metric_set.hpp"

namespace prof::metrics {

struct CounterConfig {
  std::string chip{};
  std::vector<std::uint8_t> availability{};  // which counters the GPU has, for CUPTI
  std::vector<GpuMetric> metrics{};          // those of the set that the GPU has
  std::vector<std::string> missing{};        // names of the others, all optional
  std::vector<std::uint8_t> image{};         // for CUPTI

  std::vector<const char*> counters() const;
};

struct ConfigFailure {
  base::Error error{};
  bool is_of_set = false;  // a wrong set, and not the machine, is the reason
};

// Fails if a metric that is not optional does not exist, or if the counters cannot all be read at
// the same time.
tl::expected<CounterConfig, ConfigFailure> configure(const CuptiLibrary& cupti,
                                                     const GpuDevice& gpu, const MetricSet& set);

// Computes metrics of a counter data image. For one thread.
class Evaluator {
 public:
  // The references outlive the object.
  Evaluator(const CuptiLibrary& cupti, const CounterConfig& config);

  // Values of sample `index`, one for each metric; NaN where CUPTI has none.
  void evaluate(std::span<const std::uint8_t> image, std::size_t index, std::span<double> values);

 private:
  struct Release {
    const CuptiLibrary* cupti;
    void operator()(CUpti_Profiler_Host_Object* host) const;
  };
  bool call(std::span<const std::uint8_t> image, std::size_t index, std::vector<const char*>& names,
            std::vector<double>& results);

  const CuptiLibrary& cupti_;
  const CounterConfig& config_;
  std::unique_ptr<CUpti_Profiler_Host_Object, Release> host_;
  // Several metrics are computed of one counter. If the first of them is 0, all are.
  std::vector<std::size_t> first_of_;  // by metric
  std::vector<const char*> first_names_;
  std::vector<double> first_values_;
  std::vector<const char*> other_names_;
  std::vector<double> other_values_;
};

}  // namespace prof::metrics
