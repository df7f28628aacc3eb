// The configuration with which a GPU counts the metrics of a set and with which they are computed
// from its counters.
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
  std::vector<std::uint8_t> availability{};  // which counters the GPU has, in CUPTI's form
  std::vector<GpuMetric> metrics{};          // metrics of the set that the GPU has
  std::vector<std::string> missing{};        // names of the others, which are all optional
  std::vector<std::uint8_t> image{};         // configuration image for CUPTI

  std::vector<const char*> counters() const;
};

struct ConfigFailure {
  base::Error error{};
  bool is_of_set = false;  // true: the set is wrong; false: the machine is the reason
};

// Fails if a metric that is not optional does not exist, or if the counters cannot all be read at
// the same time.
tl::expected<CounterConfig, ConfigFailure> configure(const CuptiLibrary& cupti,
                                                     const GpuDevice& gpu, const MetricSet& set);

// Computes metrics from a counter data image. Each thread needs its own object.
class Evaluator {
 public:
  // The references outlive the object.
  Evaluator(const CuptiLibrary& cupti, const CounterConfig& config);

  // Computes the values of sample `index`, one for each metric; NaN where CUPTI has none.
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
  // Index of the first metric, for each metric, that is computed from the same counter. If the
  // value of the first metric is 0, the values of the others are 0, too.
  std::vector<std::size_t> first_of_;
  std::vector<const char*> first_names_;
  std::vector<double> first_values_;
  std::vector<const char*> other_names_;
  std::vector<double> other_values_;
};

}  // namespace prof::metrics
