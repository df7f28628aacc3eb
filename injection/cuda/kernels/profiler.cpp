#include "injection/cuda/kernels/profiler.hpp"

#include <atomic>

#include "injection/core/layout.hpp"

namespace prof::cuda::kernels {

namespace {

using wire::KernelProfileReason;

struct Context {
  CUcontext handle;
  CUpti_RangeProfiler_Object* object;
  std::uint8_t* data;  // counter data image
  std::size_t data_bytes;
  Failure failure;  // of Enable
};
constexpr std::size_t kMaxContexts = 64;
PROF_SELDOM constinit Context g_contexts[kMaxContexts]{};

constexpr std::size_t kRanges = 1;  // a launch is one range

std::atomic<int> g_enabled;  // contexts with counters

Context* find(CUcontext handle) {
  for (Context& each : g_contexts) {
    if (each.handle == handle) return &each;
    if (each.handle == nullptr) {
      each.handle = handle;
      return &each;
    }
  }
  return nullptr;
}

Failure enable(Context& context) {
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_Enable, parameters);
  parameters.ctx = context.handle;
  PROF_RANGE_CALL(cuptiRangeProfilerEnable, parameters);
  context.object = parameters.pRangeProfilerObject;
  g_enabled.fetch_add(1, std::memory_order_relaxed);
  return {};
}

void disable(Context& context) {
  if (context.object == nullptr) return;
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_Disable, parameters);
  parameters.pRangeProfilerObject = context.object;
  g_range.cuptiRangeProfilerDisable(&parameters);
  context.object = nullptr;
  g_enabled.fetch_sub(1, std::memory_order_relaxed);
}

// Asks for the size of the counters of a launch, which CUPTI has to know from each object before it
// uses it (CUDA 13.0 crashes otherwise), and makes memory for them, which is used again.
Failure make_data(Context& context, const ChipPlan& made) {
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize, size);
  size.pRangeProfilerObject = context.object;
  size.pMetricNames = const_cast<const char**>(made.names);
  size.numMetrics = made.num_metrics;
  size.maxNumOfRanges = kRanges;
  size.maxNumRangeTreeNodes = kRanges;
  PROF_RANGE_CALL(cuptiRangeProfilerGetCounterDataSize, size);
  if (context.data == nullptr || context.data_bytes < size.counterDataSize)
    context.data = lasting_memory(size.counterDataSize);
  context.data_bytes = size.counterDataSize;
  if (context.data != nullptr) return {};
  return {KernelProfileReason::kNone, RangeFunction::k_cuptiRangeProfilerGetCounterDataSize,
          CUPTI_ERROR_OUT_OF_MEMORY};
}

Failure configure(Context& context, const ChipPlan& made) {
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize, data);
  data.pRangeProfilerObject = context.object;
  data.counterDataSize = context.data_bytes;
  data.pCounterData = context.data;
  PROF_RANGE_CALL(cuptiRangeProfilerCounterDataImageInitialize, data);
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_SetConfig, config);
  config.pRangeProfilerObject = context.object;
  config.configSize = made.image_bytes;
  config.pConfig = made.image;
  config.counterDataImageSize = context.data_bytes;
  config.pCounterDataImage = context.data;
  config.range = CUPTI_AutoRange;
  config.replayMode = made.passes == 1 ? CUPTI_UserReplay : CUPTI_KernelReplay;
  config.maxRangesPerPass = kRanges;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  PROF_RANGE_CALL(cuptiRangeProfilerSetConfig, config);
  return {};
}

Failure start(Context& context) {
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_Start, parameters);
  parameters.pRangeProfilerObject = context.object;
  PROF_RANGE_CALL(cuptiRangeProfilerStart, parameters);
  return {};
}

Failure stop(Context& context) {
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_Stop, parameters);
  parameters.pRangeProfilerObject = context.object;
  PROF_RANGE_CALL(cuptiRangeProfilerStop, parameters);
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_DecodeData, decode);
  decode.pRangeProfilerObject = context.object;
  PROF_RANGE_CALL(cuptiRangeProfilerDecodeData, decode);
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo, info);
  info.pCounterDataImage = context.data;
  info.counterDataImageSize = context.data_bytes;
  PROF_RANGE_CALL(cuptiRangeProfilerGetCounterDataInfo, info);
  // More ranges than one belong to launches that prof does not know.
  if (decode.numOfRangeDropped != 0 || info.numTotalRanges != kRanges)
    return {KernelProfileReason::kOtherLaunches};
  return {};
}

Failure evaluate(const Context& context, ChipPlan& made) {
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues, parameters);
  parameters.pHostObject = made.host;
  parameters.pCounterDataImage = context.data;
  parameters.counterDataImageSize = context.data_bytes;
  parameters.ppMetricNames = made.names;
  parameters.numMetrics = made.num_metrics;
  parameters.pMetricValues = made.values;
  PROF_RANGE_CALL(cuptiProfilerHostEvaluateToGpuValues, parameters);
  return {};
}

// Enables the context, if it is not, and makes its memory.
Failure prepare(Context& context, const ChipPlan& made) {
  if (context.failure || context.object != nullptr) return context.failure;
  context.failure = enable(context);
  if (!context.failure) context.failure = make_data(context, made);
  if (context.failure) disable(context);
  return context.failure;
}

}  // namespace

Failure initialize_profiler() {
  static Failure failure;
  static bool is_done;
  if (is_done) return failure;
  is_done = true;
  failure = [] {
    PROF_RANGE_PARAMETERS(CUpti_Profiler_Initialize, parameters);
    PROF_RANGE_CALL(cuptiProfilerInitialize, parameters);
    return Failure{};
  }();
  return failure;
}

Failure start_counting(const Plan& plan, std::uint32_t device, CUcontext handle, ChipPlan*& made) {
  if (Failure failure = initialize_profiler()) return failure;
  made = plan_for(plan, device, handle);
  Context* const context = find(handle);
  if (made == nullptr || context == nullptr)
    return {KernelProfileReason::kNone, RangeFunction::k_cuptiRangeProfilerEnable,
            CUPTI_ERROR_MAX_LIMIT_REACHED};
  if (made->failure) return made->failure;
  if (plan.replay == wire::KernelReplay::kNone && made->passes != 1)
    return {KernelProfileReason::kManyPasses};
  if (Failure failure = prepare(*context, *made)) return failure;
  Failure failure = configure(*context, *made);
  if (!failure) failure = start(*context);
  if (failure) disable(*context);
  return failure;
}

Failure stop_counting(CUcontext handle, ChipPlan& made) {
  Context* const context = find(handle);
  Failure failure = stop(*context);
  if (!failure) return evaluate(*context, made);
  // The next launch switches them on again.
  disable(*context);
  return failure;
}

bool are_counters_on() { return g_enabled.load(std::memory_order_relaxed) > 0; }

void disable_counters() {
  for (Context& each : g_contexts) disable(each);
}

bool is_final(const Failure& failure) {
  switch (failure.result) {
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_NOT_INITIALIZED:
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
    case CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return true;
    default:
      return failure.reason == KernelProfileReason::kManyPasses ||
             failure.reason == KernelProfileReason::kNoMetrics;
  }
}

}  // namespace prof::cuda::kernels
