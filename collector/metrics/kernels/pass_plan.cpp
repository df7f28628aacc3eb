#include "collector/metrics/kernels/pass_plan.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "collector/metrics/kernels/host_library.hpp"
#include "collector/metrics/kernels/throughput_inputs.hpp"
#include "collector/metrics/sized_parameters.hpp"

namespace prof::metrics {

namespace {

// An object of CUPTI's host interface for a chip. One that has refused a metric cannot be used
// again.
class HostObject {
 public:
  HostObject(const HostLibrary& cupti, const std::string& chip) : cupti_(cupti) {
    PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_Initialize, parameters);
    parameters.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    parameters.pChipName = chip.c_str();
    result_ = cupti.cuptiProfilerHostInitialize(&parameters);
    if (result_ == CUPTI_SUCCESS) object_ = parameters.pHostObject;
  }
  ~HostObject() {
    if (object_ == nullptr) return;
    PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_Deinitialize, parameters);
    parameters.pHostObject = object_;
    cupti_.cuptiProfilerHostDeinitialize(&parameters);
  }
  HostObject(const HostObject&) = delete;
  HostObject& operator=(const HostObject&) = delete;

  CUpti_Profiler_Host_Object* get() const { return object_; }
  CUptiResult result() const { return result_; }

 private:
  const HostLibrary& cupti_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
  CUptiResult result_;
};

CUptiResult add(const HostLibrary& cupti, const HostObject& host,
                const std::vector<std::string>& metrics) {
  std::vector<const char*> names;
  for (const std::string& metric : metrics) names.push_back(metric.c_str());
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics, parameters);
  parameters.pHostObject = host.get();
  parameters.ppMetricNames = names.data();
  parameters.numMetrics = names.size();
  return cupti.cuptiProfilerHostConfigAddMetrics(&parameters);
}

std::optional<std::size_t> passes_of(const HostLibrary& cupti, const HostObject& host) {
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize, size);
  size.pHostObject = host.get();
  if (cupti.cuptiProfilerHostGetConfigImageSize(&size) != CUPTI_SUCCESS) return std::nullopt;
  std::vector<std::uint8_t> image(size.configImageSize);
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_GetConfigImage, content);
  content.pHostObject = host.get();
  content.configImageSize = image.size();
  content.pConfigImage = image.data();
  if (cupti.cuptiProfilerHostGetConfigImage(&content) != CUPTI_SUCCESS) return std::nullopt;
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses, passes);
  passes.configImageSize = image.size();
  passes.pConfigImage = image.data();
  if (cupti.cuptiProfilerHostGetNumOfPasses(&passes) != CUPTI_SUCCESS) return std::nullopt;
  return passes.numOfPasses;
}

std::optional<std::size_t> passes_of(const HostLibrary& cupti, const std::string& chip,
                                     const std::vector<std::string>& metrics) {
  const HostObject host(cupti, chip);
  if (host.get() == nullptr || add(cupti, host, metrics) != CUPTI_SUCCESS) return std::nullopt;
  return passes_of(cupti, host);
}

std::string text_of(const HostLibrary& cupti, CUptiResult result) {
  const char* name = nullptr;
  cupti.cuptiGetResultString(result, &name);
  return fmt::format("{} ({})", name == nullptr ? "an error" : name, static_cast<int>(result));
}

// Tries each metric alone. Fills the lists of the plan, and returns the last refusal.
CUptiResult find_known(const HostLibrary& cupti, const std::string& chip,
                       const std::vector<KernelMetric>& wanted, PassPlan& plan) {
  plan.metrics.clear();
  CUptiResult refusal = CUPTI_SUCCESS;
  for (const KernelMetric& metric : wanted) {
    if (!metric.is_for(chip) || metric.is_by_instruction()) continue;
    const HostObject host(cupti, chip);
    const CUptiResult result = add(cupti, host, {metric.name});
    if (result == CUPTI_SUCCESS) {
      plan.metrics.push_back(metric.name);
      continue;
    }
    refusal = result;
    plan.unknown.push_back(metric.name);
  }
  return refusal;
}

// Takes the metrics that fit into one pass with those before. The injection library takes the same
// ones (injection/cuda/kernels/chip_plan.cpp).
class OnePass {
 public:
  OnePass(const HostLibrary& cupti, const std::string& chip) : cupti_(cupti), chip_(chip) {}

  // Takes all, or what fits of each half.
  void take(std::span<const std::string> metrics) {
    std::vector<std::string> more = fitting;
    more.insert(more.end(), metrics.begin(), metrics.end());
    if (passes_of(cupti_, chip_, more) == 1) {
      fitting = std::move(more);
    } else if (metrics.size() == 1) {
      rest.push_back(metrics.front());
    } else {
      take(metrics.first(metrics.size() / 2));
      take(metrics.subspan(metrics.size() / 2));
    }
  }

  std::vector<std::string> fitting{};
  std::vector<std::string> rest{};

 private:
  const HostLibrary& cupti_;
  const std::string& chip_;
};

MetricKind kind_of(CUpti_MetricType type) {
  if (type == CUPTI_METRIC_TYPE_RATIO) return MetricKind::kRatio;
  return type == CUPTI_METRIC_TYPE_THROUGHPUT ? MetricKind::kThroughput : MetricKind::kCounter;
}

MetricFacts facts_of(const HostLibrary& cupti, const HostObject& host, MetricKind kind,
                     const char* name) {
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties, parameters);
  parameters.pHostObject = host.get();
  parameters.pMetricName = name;
  if (cupti.cuptiProfilerHostGetMetricProperties(&parameters) != CUPTI_SUCCESS) return {name, kind};
  const auto text = [](const char* given) { return std::string(given == nullptr ? "" : given); };
  return {name, kind, text(parameters.pDimUnit), text(parameters.pDescription)};
}

}  // namespace

base::Result<PassPlanner> PassPlanner::create(const std::string& cupti_path) {
  const auto library = HostLibrary::load(cupti_path);
  if (!library) return tl::make_unexpected(library.error());
  return PassPlanner(*library);
}

PassPlanner::PassPlanner(const HostLibrary& cupti)
    : cupti_(std::make_shared<const HostLibrary>(cupti)) {}

std::vector<std::string> PassPlanner::chips() const {
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_GetSupportedChips, parameters);
  if (cupti_->cuptiProfilerHostGetSupportedChips(&parameters) != CUPTI_SUCCESS) return {};
  return {parameters.ppChipNames, parameters.ppChipNames + parameters.numChips};
}

std::string PassPlanner::chip_of_first_gpu() const {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (driver == nullptr) return {};
  const auto init = reinterpret_cast<decltype(&::cuInit)>(dlsym(driver, "cuInit"));
  if (init == nullptr || init(0) != CUDA_SUCCESS) return {};
  PROF_SIZED_PARAMETERS(CUpti_Device_GetChipName, parameters);
  if (cupti_->cuptiDeviceGetChipName(&parameters) != CUPTI_SUCCESS) return {};
  return parameters.pChipName;
}

base::Result<PassPlan> PassPlanner::plan(const std::string& chip,
                                         const std::vector<KernelMetric>& wanted) const {
  const HostObject probe(*cupti_, chip);
  if (probe.get() == nullptr)
    return base::fail(
        fmt::format("CUPTI cannot plan for chip {}: {}", chip, text_of(*cupti_, probe.result())));
  PassPlan plan;
  for (const KernelMetric& metric : wanted)
    if (metric.is_for(chip))
      (metric.is_by_instruction() ? plan.by_instruction : plan.metrics).push_back(metric.name);
  if (plan.metrics.empty()) return plan;
  auto passes = passes_of(*cupti_, chip, plan.metrics);
  if (!passes) {
    const CUptiResult refusal = find_known(*cupti_, chip, wanted, plan);
    if (refusal == CUPTI_ERROR_NOT_SUPPORTED && plan.metrics.empty())
      return base::fail("CUPTI cannot count in launches of kernels on chip " + chip);
    if (!plan.metrics.empty()) passes = passes_of(*cupti_, chip, plan.metrics);
    if (!passes && !plan.metrics.empty())
      return base::fail(
          "counters of the GPU and of what connects it (PCIe, NVLink, C2C) cannot be read together "
          "on chip " +
          chip);
  }
  plan.passes = passes.value_or(0);
  return plan;
}

RotationPlan PassPlanner::rotation(const std::string& chip,
                                   const std::vector<std::string>& metrics) const {
  OnePass split(*cupti_, chip);
  if (!metrics.empty()) split.take(metrics);
  const std::size_t first = split.fitting.empty() ? 0 : 1;
  const std::size_t others =
      split.rest.empty() ? 0 : passes_of(*cupti_, chip, split.rest).value_or(0);
  return {split.fitting.size(), first + others};
}

base::Result<std::vector<MetricFacts>> PassPlanner::list(const std::string& chip) const {
  const HostObject host(*cupti_, chip);
  if (host.get() == nullptr)
    return base::fail(
        fmt::format("CUPTI does not know chip {}: {}", chip, text_of(*cupti_, host.result())));
  std::vector<MetricFacts> metrics;
  for (int type = 0; type < CUPTI_METRIC_TYPE__COUNT; ++type) {
    PROF_SIZED_PARAMETERS(CUpti_Profiler_Host_GetBaseMetrics, parameters);
    parameters.pHostObject = host.get();
    parameters.metricType = static_cast<CUpti_MetricType>(type);
    if (cupti_->cuptiProfilerHostGetBaseMetrics(&parameters) != CUPTI_SUCCESS) continue;
    const std::vector<std::string> names(parameters.ppMetricNames,
                                         parameters.ppMetricNames + parameters.numMetrics);
    for (const std::string& name : names)
      metrics.push_back(facts_of(*cupti_, host, kind_of(parameters.metricType), name.c_str()));
  }
  std::ranges::sort(metrics, {}, &MetricFacts::name);
  return metrics;
}

base::Result<std::vector<std::string>> PassPlanner::inputs(const std::string& chip,
                                                           const std::string& throughput) const {
  return throughput_inputs(*cupti_, chip, throughput);
}

}  // namespace prof::metrics
