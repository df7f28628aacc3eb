#include "injection/cuda/kernels/profiler.hpp"

#include <atomic>

#include "injection/core/layout.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::cuda::kernels {

namespace {

using wire::KernelProfileReason;

struct Context {
  CUcontext handle;
  CUpti_RangeProfiler_Object* object;
  const PassGroup* group;  // whose counters CUPTI has sized for the object
  std::size_t launches;    // of an image for them
  std::size_t bytes;       // of the image
  CounterImage image;
  Failure failure;  // of Enable
};
constexpr std::size_t kMaxContexts = 64;
PROF_SELDOM constinit Context g_contexts[kMaxContexts]{};

constexpr Failure kTooMany{KernelProfileReason::kNone, RangeFunction::k_cuptiRangeProfilerEnable,
                           CUPTI_ERROR_MAX_LIMIT_REACHED};

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
  context.group = nullptr;
  g_enabled.fetch_sub(1, std::memory_order_relaxed);
}

// Asks for the size of the counters of launches, which CUPTI has to know from each object before it
// uses it (CUDA 13.0 crashes otherwise). A launch is a range.
Failure ask_size(Context& context, const ChipPlan& made, const Part& part) {
  const PassGroup& group = *part.group;
  if (context.group == &group && context.launches == part.launches) return {};
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize, size);
  size.pRangeProfilerObject = context.object;
  size.pMetricNames = const_cast<const char**>(&made.names[group.first]);
  size.numMetrics = group.num_metrics;
  size.maxNumOfRanges = part.launches;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(part.launches);
  PROF_RANGE_CALL(cuptiRangeProfilerGetCounterDataSize, size);
  context.group = &group;
  context.launches = part.launches;
  context.bytes = size.counterDataSize;
  return {};
}

CounterImage& image_of(Context& context, const Part& part) {
  return part.image == nullptr ? context.image : *part.image;
}

// Makes an empty image. Its memory is used again.
Failure make_empty(Context& context, CounterImage& image) {
  if (!reserve_image(image, context.bytes))
    return {KernelProfileReason::kNone, RangeFunction::k_cuptiRangeProfilerGetCounterDataSize,
            CUPTI_ERROR_OUT_OF_MEMORY};
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize, data);
  data.pRangeProfilerObject = context.object;
  data.counterDataSize = image.size;
  data.pCounterData = image.bytes;
  PROF_RANGE_CALL(cuptiRangeProfilerCounterDataImageInitialize, data);
  return {};
}

Failure configure(Context& context, const ChipPlan& made, const Part& part) {
  if (Failure failure = ask_size(context, made, part)) return failure;
  CounterImage& image = image_of(context, part);
  if (part.pass == 0)
    if (Failure failure = make_empty(context, image)) return failure;
  if (image.size != context.bytes) return {KernelProfileReason::kOtherRun};
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_SetConfig, config);
  config.pRangeProfilerObject = context.object;
  config.configSize = part.group->config.size;
  config.pConfig = part.group->config.bytes;
  config.counterDataImageSize = image.size;
  config.pCounterDataImage = image.bytes;
  config.range = CUPTI_AutoRange;
  config.replayMode = part.is_replayed ? CUPTI_KernelReplay : CUPTI_UserReplay;
  config.maxRangesPerPass = part.launches;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.passIndex = part.pass;
  PROF_RANGE_CALL(cuptiRangeProfilerSetConfig, config);
  return {};
}

Failure start(Context& context) {
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_Start, parameters);
  parameters.pRangeProfilerObject = context.object;
  PROF_RANGE_CALL(cuptiRangeProfilerStart, parameters);
  return {};
}

Failure stop(Context& context, const CounterImage& image, std::size_t& counted) {
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_Stop, parameters);
  parameters.pRangeProfilerObject = context.object;
  PROF_RANGE_CALL(cuptiRangeProfilerStop, parameters);
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_DecodeData, decode);
  decode.pRangeProfilerObject = context.object;
  PROF_RANGE_CALL(cuptiRangeProfilerDecodeData, decode);
  PROF_RANGE_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo, info);
  info.pCounterDataImage = image.bytes;
  info.counterDataImageSize = image.size;
  PROF_RANGE_CALL(cuptiRangeProfilerGetCounterDataInfo, info);
  counted = info.numTotalRanges + decode.numOfRangeDropped;
  return {};
}

}  // namespace

void free_image(CounterImage& image) {
  if (image.bytes != nullptr) core::sys::munmap(image.bytes, image.capacity);
  image = {};
}

bool reserve_image(CounterImage& image, std::size_t bytes) {
  if (image.capacity < bytes) {
    free_image(image);
    image.bytes = lasting_memory(bytes);
    if (image.bytes == nullptr) return false;
    image.capacity = bytes;
  }
  image.size = bytes;
  return true;
}

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

Failure find_plan(const Plan& plan, std::uint32_t device, CUcontext context, ChipPlan*& made) {
  if (Failure failure = initialize_profiler()) return failure;
  made = plan_for(plan, device, context);
  if (made == nullptr) return kTooMany;
  if (made->failure) return made->failure;
  if (plan.replay == wire::KernelReplay::kNone && made->passes != 1)
    return {KernelProfileReason::kManyPasses};
  return {};
}

Failure start_counting(CUcontext handle, const ChipPlan& made, const Part& part) {
  Context* const context = find(handle);
  if (context == nullptr) return kTooMany;
  if (!context->failure && context->object == nullptr) context->failure = enable(*context);
  if (context->failure) return context->failure;
  Failure failure = configure(*context, made, part);
  if (!failure) failure = start(*context);
  if (failure) disable(*context);
  return failure;
}

Failure stop_counting(CUcontext handle, const Part& part, std::size_t& counted) {
  Context* const context = find(handle);
  const Failure failure = stop(*context, image_of(*context, part), counted);
  // The next launch switches them on again.
  if (failure) disable(*context);
  return failure;
}

Failure evaluate_launch(CUcontext handle, ChipPlan& made, const Part& part, std::size_t launch) {
  const CounterImage& image = image_of(*find(handle), part);
  const PassGroup& group = *part.group;
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues, parameters);
  parameters.pHostObject = group.host;
  parameters.pCounterDataImage = image.bytes;
  parameters.counterDataImageSize = image.size;
  parameters.rangeIndex = launch;
  parameters.ppMetricNames = &made.names[group.first];
  parameters.numMetrics = group.num_metrics;
  parameters.pMetricValues = &made.values[group.first];
  PROF_RANGE_CALL(cuptiProfilerHostEvaluateToGpuValues, parameters);
  return {};
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
