#include "collector/metrics/kernels/throughput_inputs.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <nvperf_cuda_host.h>
#include <nvperf_host.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "collector/metrics/sized_parameters.hpp"

namespace prof::metrics {

namespace {

#define PROF_NVPERF_FUNCTIONS(F)                           \
  F(NVPW_InitializeHost)                                   \
  F(NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize) \
  F(NVPW_CUDA_MetricsEvaluator_Initialize)                 \
  F(NVPW_MetricsEvaluator_Destroy)                         \
  F(NVPW_MetricsEvaluator_GetMetricNames)                  \
  F(NVPW_MetricsEvaluator_GetMetricTypeAndIndex)           \
  F(NVPW_MetricsEvaluator_GetThroughputMetricProperties)

struct NvperfLibrary {
  explicit NvperfLibrary(void* library) {
#define PROF_RESOLVE_NVPERF(name) name = reinterpret_cast<decltype(name)>(dlsym(library, #name));
    PROF_NVPERF_FUNCTIONS(PROF_RESOLVE_NVPERF)
#undef PROF_RESOLVE_NVPERF
  }
  bool is_complete() const {
#define PROF_HAS_NVPERF(name) name != nullptr&&
    return PROF_NVPERF_FUNCTIONS(PROF_HAS_NVPERF) true;
#undef PROF_HAS_NVPERF
  }

#define PROF_NVPERF_MEMBER(name) decltype(&::name) name = nullptr;
  PROF_NVPERF_FUNCTIONS(PROF_NVPERF_MEMBER)
#undef PROF_NVPERF_MEMBER
};

constexpr NVPA_Status kDone = NVPA_STATUS_SUCCESS;

// The metrics of a chip. Not ready if the chip is unknown.
class ChipThroughputs {
 public:
  ChipThroughputs(const NvperfLibrary& nvperf, const std::string& chip) : nvperf_(nvperf) {
    PROF_SIZED_PARAMETERS(NVPW_InitializeHost, host);
    PROF_SIZED_PARAMETERS(NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize, size);
    size.pChipName = chip.c_str();
    if (nvperf.NVPW_InitializeHost(&host) != kDone ||
        nvperf.NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize(&size) != kDone)
      return;
    memory_.resize(size.scratchBufferSize);
    PROF_SIZED_PARAMETERS(NVPW_CUDA_MetricsEvaluator_Initialize, parameters);
    parameters.pScratchBuffer = memory_.data();
    parameters.scratchBufferSize = memory_.size();
    parameters.pChipName = chip.c_str();
    if (nvperf.NVPW_CUDA_MetricsEvaluator_Initialize(&parameters) == kDone)
      evaluator_ = parameters.pMetricsEvaluator;
  }
  ~ChipThroughputs() {
    if (evaluator_ == nullptr) return;
    PROF_SIZED_PARAMETERS(NVPW_MetricsEvaluator_Destroy, parameters);
    parameters.pMetricsEvaluator = evaluator_;
    nvperf_.NVPW_MetricsEvaluator_Destroy(&parameters);
  }
  ChipThroughputs(const ChipThroughputs&) = delete;
  ChipThroughputs& operator=(const ChipThroughputs&) = delete;

  bool is_ready() const { return evaluator_ != nullptr; }

  // Returns false if the chip has no throughput of this name.
  bool find(const std::string& name, std::size_t& index) const {
    PROF_SIZED_PARAMETERS(NVPW_MetricsEvaluator_GetMetricTypeAndIndex, parameters);
    parameters.pMetricsEvaluator = evaluator_;
    parameters.pMetricName = name.c_str();
    if (nvperf_.NVPW_MetricsEvaluator_GetMetricTypeAndIndex(&parameters) != kDone) return false;
    index = parameters.metricIndex;
    return parameters.metricType == NVPW_METRIC_TYPE_THROUGHPUT;
  }

  // Appends the inputs of a throughput, each once; itself if it has none.
  void add_inputs(std::size_t throughput, std::vector<std::string>& inputs) const {
    PROF_SIZED_PARAMETERS(NVPW_MetricsEvaluator_GetThroughputMetricProperties, parameters);
    parameters.pMetricsEvaluator = evaluator_;
    parameters.throughputMetricIndex = throughput;
    if (nvperf_.NVPW_MetricsEvaluator_GetThroughputMetricProperties(&parameters) != kDone) return;
    for (const std::size_t counter : std::span(parameters.pCounterIndices, parameters.numCounters))
      add(name_of(NVPW_METRIC_TYPE_COUNTER, counter), inputs);
    // The next call may use the array again.
    const std::vector<std::size_t> parts(
        parameters.pSubThroughputIndices,
        parameters.pSubThroughputIndices + parameters.numSubThroughputs);
    for (const std::size_t part : parts) add_inputs(part, inputs);
    if (parts.empty() && parameters.numCounters == 0)
      add(name_of(NVPW_METRIC_TYPE_THROUGHPUT, throughput), inputs);
  }

 private:
  std::string name_of(std::uint8_t type, std::size_t index) const {
    PROF_SIZED_PARAMETERS(NVPW_MetricsEvaluator_GetMetricNames, parameters);
    parameters.pMetricsEvaluator = evaluator_;
    parameters.metricType = type;
    if (nvperf_.NVPW_MetricsEvaluator_GetMetricNames(&parameters) != kDone ||
        index >= parameters.numMetrics)
      return {};
    return parameters.pMetricNames + parameters.pMetricNameBeginIndices[index];
  }

  static void add(std::string name, std::vector<std::string>& inputs) {
    if (!name.empty() && std::ranges::count(inputs, name) == 0) inputs.push_back(std::move(name));
  }

  const NvperfLibrary& nvperf_;
  std::vector<std::uint8_t> memory_;
  NVPW_MetricsEvaluator* evaluator_ = nullptr;
};

}  // namespace

base::Result<std::vector<std::string>> throughput_inputs(const HostLibrary& cupti,
                                                         const std::string& chip,
                                                         const std::string& name) {
  const NvperfLibrary nvperf(cupti.nvperf);
  if (!nvperf.is_complete())
    return base::fail("--metrics: this libnvperf_host does not tell what throughputs consist of");
  const ChipThroughputs throughputs(nvperf, chip);
  std::size_t index = 0;
  if (!throughputs.is_ready() || !throughputs.find(name, index))
    return base::fail(fmt::format("--metrics: {} has no throughput {}", chip, name));
  std::vector<std::string> inputs;
  throughputs.add_inputs(index, inputs);
  return inputs;
}

}  // namespace prof::metrics
