#include "collector/metrics/gpu/counter_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace prof::metrics {

namespace {

using Host = CUpti_Profiler_Host_Object;

CUptiResult create_host(const CuptiLibrary& cupti, const CounterConfig& config, Host*& host) {
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_Initialize, parameters);
  parameters.profilerType = CUPTI_PROFILER_TYPE_PM_SAMPLING;
  parameters.pChipName = config.chip.c_str();
  parameters.pCounterAvailabilityImage = config.availability.data();
  const CUptiResult result = cupti.cuptiProfilerHostInitialize(&parameters);
  host = parameters.pHostObject;
  return result;
}

void destroy_host(const CuptiLibrary& cupti, Host* host) {
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_Deinitialize, parameters);
  parameters.pHostObject = host;
  cupti.cuptiProfilerHostDeinitialize(&parameters);
}

CUptiResult add_metrics(const CuptiLibrary& cupti, Host* host, std::vector<const char*>& names) {
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics, parameters);
  parameters.pHostObject = host;
  parameters.ppMetricNames = names.data();
  parameters.numMetrics = names.size();
  return cupti.cuptiProfilerHostConfigAddMetrics(&parameters);
}

CUptiResult read_image(const CuptiLibrary& cupti, Host* host, std::vector<std::uint8_t>& image) {
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize, size);
  size.pHostObject = host;
  if (const CUptiResult result = cupti.cuptiProfilerHostGetConfigImageSize(&size);
      result != CUPTI_SUCCESS)
    return result;
  image.resize(size.configImageSize);
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_GetConfigImage, parameters);
  parameters.pHostObject = host;
  parameters.configImageSize = image.size();
  parameters.pConfigImage = image.data();
  return cupti.cuptiProfilerHostGetConfigImage(&parameters);
}

CUptiResult count_passes(const CuptiLibrary& cupti, CounterConfig& config, std::size_t& passes) {
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses, parameters);
  parameters.configImageSize = config.image.size();
  parameters.pConfigImage = config.image.data();
  const CUptiResult result = cupti.cuptiProfilerHostGetNumOfPasses(&parameters);
  passes = parameters.numOfPasses;
  return result;
}

// A host object that has failed once cannot be used again, so each attempt makes a new one.
CUptiResult make_image(const CuptiLibrary& cupti, CounterConfig& config,
                       std::vector<const char*> names, std::size_t& passes) {
  Host* host = nullptr;
  CUptiResult result = create_host(cupti, config, host);
  if (result != CUPTI_SUCCESS) return result;
  result = add_metrics(cupti, host, names);
  if (result == CUPTI_SUCCESS) result = read_image(cupti, host, config.image);
  if (result == CUPTI_SUCCESS) result = count_passes(cupti, config, passes);
  destroy_host(cupti, host);
  return result;
}

CUptiResult read_availability(const CuptiLibrary& cupti, const GpuDevice& gpu,
                              std::vector<std::uint8_t>& image) {
  PROF_SIZED_PARAMETERS(CUpti_PmSampling_GetCounterAvailability, parameters);
  parameters.deviceIndex = gpu.ordinal;
  if (const CUptiResult result = cupti.cuptiPmSamplingGetCounterAvailability(&parameters);
      result != CUPTI_SUCCESS)
    return result;
  image.resize(parameters.counterAvailabilityImageSize);
  parameters.pCounterAvailabilityImage = image.data();
  return cupti.cuptiPmSamplingGetCounterAvailability(&parameters);
}

tl::unexpected<ConfigFailure> set_failure(std::string message) {
  return tl::make_unexpected(ConfigFailure{{std::move(message)}, true});
}

}  // namespace

std::vector<const char*> CounterConfig::counters() const {
  std::vector<const char*> names;
  for (const GpuMetric& each : metrics) names.push_back(each.counter.c_str());
  return names;
}

tl::expected<CounterConfig, ConfigFailure> configure(const CuptiLibrary& cupti,
                                                     const GpuDevice& gpu, const MetricSet& set) {
  CounterConfig config;
  config.chip = gpu.chip;
  if (const CUptiResult result = read_availability(cupti, gpu, config.availability);
      result != CUPTI_SUCCESS)
    return tl::make_unexpected(
        ConfigFailure{explain(cupti, result, "cuptiPmSamplingGetCounterAvailability"), false});
  std::size_t passes = 0;
  for (const GpuMetric& metric : set.metrics) {
    if (make_image(cupti, config, {metric.counter.c_str()}, passes) == CUPTI_SUCCESS)
      config.metrics.push_back(metric);
    else if (metric.is_optional)
      config.missing.push_back(metric.name);
    else
      return set_failure(
          fmt::format("{} ({}) cannot be sampled on {}. Mark it as optional, or "
                      "leave it out",
                      metric.counter, metric.name, gpu.chip));
  }
  if (config.metrics.empty())
    return set_failure(fmt::format("none of its metrics can be sampled on {}", gpu.chip));
  if (const CUptiResult result = make_image(cupti, config, config.counters(), passes);
      result != CUPTI_SUCCESS)
    return tl::make_unexpected(
        ConfigFailure{explain(cupti, result, "cuptiProfilerHostGetConfigImage"), false});
  if (passes != 1)
    return set_failure(
        fmt::format("its counters do not fit {} at the same time ({} passes would "
                    "be needed). Leave some of them out",
                    gpu.chip, passes));
  return config;
}

void Evaluator::Release::operator()(CUpti_Profiler_Host_Object* host) const {
  destroy_host(*cupti, host);
}

Evaluator::Evaluator(const CuptiLibrary& cupti, const CounterConfig& config)
    : cupti_(cupti), config_(config), host_(nullptr, Release{&cupti}) {
  Host* host = nullptr;
  if (create_host(cupti, config, host) == CUPTI_SUCCESS) host_.reset(host);
  for (const GpuMetric& metric : config.metrics) {
    const auto first = std::ranges::find(config.metrics, metric.base(), &GpuMetric::base);
    first_of_.push_back(static_cast<std::size_t>(first - config.metrics.begin()));
    if (&*first == &metric) first_names_.push_back(metric.counter.c_str());
  }
}

bool Evaluator::call(std::span<const std::uint8_t> image, std::size_t index,
                     std::vector<const char*>& names, std::vector<double>& results) {
  results.resize(names.size());
  if (names.empty()) return true;
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues, parameters);
  parameters.pHostObject = host_.get();
  parameters.pCounterDataImage = image.data();
  parameters.counterDataImageSize = image.size();
  parameters.rangeIndex = index;
  parameters.ppMetricNames = names.data();
  parameters.numMetrics = names.size();
  parameters.pMetricValues = results.data();
  return cupti_.cuptiProfilerHostEvaluateToGpuValues(&parameters) == CUPTI_SUCCESS;
}

void Evaluator::evaluate(std::span<const std::uint8_t> image, std::size_t index,
                         std::span<double> values) {
  std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
  if (!host_ || !call(image, index, first_names_, first_values_)) return;
  std::size_t next = 0;
  other_names_.clear();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (first_of_[i] == i)
      values[i] = first_values_[next++];
    else if (values[first_of_[i]] == 0)
      values[i] = 0;
    else
      other_names_.push_back(config_.metrics[i].counter.c_str());
  }
  if (!call(image, index, other_names_, other_values_)) return;
  next = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (first_of_[i] != i && values[first_of_[i]] != 0) values[i] = other_values_[next++];
}

}  // namespace prof::metrics
