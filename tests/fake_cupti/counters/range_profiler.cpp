// The range profiler of libcupti.so.13 without a GPU. One launch is one range.
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "fake_state.hpp"
#include "ranges.hpp"
#include "sass_metrics.hpp"

using fake::fails;
using fake::misbehaviour;

struct CUpti_RangeProfiler_Object {
  CUcontext context = nullptr;
  std::uint64_t image = 0;
  std::uint8_t* data = nullptr;
  bool knows_size = false;
  std::size_t pass = 0;
  std::size_t next_range = 0;  // since Start
  bool is_replaying = false;
  bool is_started = false;
};

namespace {

struct Range {
  std::uint64_t blocks;
  std::uint64_t threads;
  std::uint64_t runs;
  std::uint64_t passes;  // a bit for each that was made
  std::uint64_t launch;  // the last one's number in the process
  std::uint64_t start;   // how often the counters were started before its first run
};
// What the fake has in place of CUPTI's counter data image.
struct Image {
  std::uint64_t capacity;
  std::uint64_t ranges;
  std::uint64_t dropped;
  std::uint64_t config;
};

std::mutex g_lock;
CUpti_RangeProfiler_Object* g_object;  // CUPTI has one for each context; the fake has one context
void* g_memory;
std::size_t g_bytes;
std::uint64_t g_launches;
std::uint64_t g_starts;
thread_local std::function<void()> t_kernel;

Image& image_of(const std::uint8_t* bytes) {
  return *reinterpret_cast<Image*>(const_cast<std::uint8_t*>(bytes));
}
Range& range_of(const std::uint8_t* bytes, std::size_t index) {
  return reinterpret_cast<Range*>(const_cast<std::uint8_t*>(bytes) + sizeof(Image))[index];
}

CUptiResult result_of(const char* function) {
  return fails(function) ? misbehaviour().result : CUPTI_SUCCESS;
}

// A launch is a range. The same range of another pass is put together with those before.
void add_range(CUpti_RangeProfiler_Object& object, const Range& range) {
  Image& image = image_of(object.data);
  const std::size_t index = object.next_range++;
  if (index >= image.capacity) {
    ++image.dropped;
  } else if (index == image.ranges) {
    range_of(object.data, image.ranges++) = range;
  } else {
    Range& known = range_of(object.data, index);
    if ((known.passes & range.passes) != 0) std::abort();  // a pass was made twice
    known.passes |= range.passes;
    known.runs += range.runs;
    known.launch = range.launch;
  }
  image.config = object.image;
}

std::uint64_t all_passes(std::uint64_t image) {
  return (std::uint64_t{1} << fake::passes_of(image)) - 1;
}

}  // namespace

namespace fake {

std::uint64_t image_of(const CUpti_Profiler_Host_Object& host) {
  return host.metrics | kRangeImage | (host.has_throughput ? kThroughputs : 0);
}

std::size_t passes_of(std::uint64_t image) {
  return ((image & 0xffff) + 31) / 32 + ((image & kThroughputs) == 0 ? 0 : 2);
}

bool has_throughput(const char** names, std::size_t number) {
  return std::any_of(names, names + number,
                     [](const char* name) { return std::strstr(name, "throughput") != nullptr; });
}

bool can_count(const char** names, std::size_t number) {
  for (std::size_t i = 0; i < number; ++i)
    if (std::strstr(names[i], "nonsense") != nullptr) return false;
  return true;
}

void evaluate(CUpti_Profiler_Host_EvaluateToGpuValues_Params& parameters) {
  const Range& range = range_of(parameters.pCounterDataImage, parameters.rangeIndex);
  const std::uint64_t config = ::image_of(parameters.pCounterDataImage).config;
  const bool is_complete =
      range.passes == all_passes(config) && config == fake::image_of(*parameters.pHostObject);
  for (std::size_t i = 0; i < parameters.numMetrics; ++i) {
    const char* name = parameters.ppMetricNames[i];
    double& value = parameters.pMetricValues[i];
    if (!is_complete)
      value = -1;
    else if (std::strcmp(name, "sm__cycles_elapsed.max") == 0)
      value = static_cast<double>(range.launch);
    else if (std::strcmp(name, "sm__cycles_active.max") == 0)
      value = static_cast<double>(range.start);
    else if (std::strcmp(name, "gpu__time_duration.sum") == 0)
      value = 1000.0 * static_cast<double>(range.blocks);
    else if (std::strcmp(name, "smsp__inst_executed.sum") == 0)
      value = 100.0 * static_cast<double>(range.blocks * range.threads);
    else
      value = static_cast<double>(range.runs);
  }
}

void set_device_memory(void* memory, std::size_t bytes) {
  g_memory = memory;
  g_bytes = bytes;
}

void* device_memory() { return g_memory; }
std::size_t device_memory_size() { return g_bytes; }

void set_kernel(std::function<void()> kernel) { t_kernel = std::move(kernel); }

bool is_counting() {
  const std::lock_guard lock(g_lock);
  return g_object != nullptr && g_object->is_started;
}

void run_kernel_again() {
  if (t_kernel) t_kernel();
}

void run_kernel(std::uint64_t blocks, std::uint64_t threads, bool is_graph,
                const std::function<void()>& kernel) {
  std::unique_lock lock(g_lock);
  ++g_launches;
  const bool is_counted = g_object != nullptr && g_object->is_started;
  if (is_graph && g_object != nullptr) return;
  if (!is_counted) {
    lock.unlock();
    return kernel();
  }
  const std::size_t runs = g_object->is_replaying ? passes_of(g_object->image) : 1;
  const auto* memory = static_cast<const std::uint8_t*>(g_memory);
  const std::vector<std::uint8_t> saved(memory, memory + g_bytes);
  lock.unlock();
  for (std::size_t run = 0; run < runs; ++run) {
    std::memcpy(g_memory, saved.data(), saved.size());
    kernel();
  }
  lock.lock();
  const std::uint64_t passes =
      g_object->is_replaying ? all_passes(g_object->image) : std::uint64_t{1} << g_object->pass;
  add_range(*g_object, {blocks, threads, runs, passes, g_launches, g_starts});
}

}  // namespace fake

extern "C" {

CUptiResult cuptiProfilerGetCounterAvailability(
    CUpti_Profiler_GetCounterAvailability_Params* parameters) {
  parameters->counterAvailabilityImageSize = 16;
  return result_of("cuptiProfilerGetCounterAvailability");
}

CUptiResult cuptiProfilerHostGetMetricProperties(
    CUpti_Profiler_Host_GetMetricProperties_Params* parameters) {
  parameters->pDescription = "what the fake counts";
  parameters->pDimUnit =
      std::strstr(parameters->pMetricName, "duration") != nullptr ? "nanosecond" : "instruction";
  return result_of("cuptiProfilerHostGetMetricProperties");
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* parameters) {
  if (const CUptiResult result = result_of("cuptiRangeProfilerEnable")) return result;
  const std::lock_guard lock(g_lock);
  if (g_object != nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  g_object = new CUpti_RangeProfiler_Object{parameters->ctx};
  parameters->pRangeProfilerObject = g_object;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* parameters) {
  const std::lock_guard lock(g_lock);
  if (parameters->pRangeProfilerObject != g_object || g_object == nullptr)
    return CUPTI_ERROR_INVALID_PARAMETER;
  delete g_object;
  g_object = nullptr;
  return result_of("cuptiRangeProfilerDisable");
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params* parameters) {
  parameters->pRangeProfilerObject->knows_size = true;
  parameters->counterDataSize = sizeof(Image) + parameters->maxNumOfRanges * sizeof(Range);
  return result_of("cuptiRangeProfilerGetCounterDataSize");
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* parameters) {
  // As CUDA 13.0 does when a context was switched off and on again.
  if (!parameters->pRangeProfilerObject->knows_size) std::abort();
  image_of(parameters->pCounterData) = {
      (parameters->counterDataSize - sizeof(Image)) / sizeof(Range), 0, 0, 0};
  return result_of("cuptiRangeProfilerCounterDataImageInitialize");
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* parameters) {
  if (const CUptiResult result = result_of("cuptiRangeProfilerSetConfig")) return result;
  CUpti_RangeProfiler_Object& object = *parameters->pRangeProfilerObject;
  std::memcpy(&object.image, parameters->pConfig, sizeof object.image);
  object.data = parameters->pCounterDataImage;
  object.is_replaying = parameters->replayMode == CUPTI_KernelReplay;
  object.pass = parameters->passIndex;
  const std::size_t passes = object.is_replaying ? 1 : fake::passes_of(object.image);
  return parameters->range == CUPTI_AutoRange && object.pass < passes
             ? CUPTI_SUCCESS
             : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* parameters) {
  if (const CUptiResult result = result_of("cuptiRangeProfilerStart")) return result;
  CUpti_RangeProfiler_Object& object = *parameters->pRangeProfilerObject;
  if (object.data == nullptr || object.is_started || !fake::is_code_original())
    return CUPTI_ERROR_INVALID_OPERATION;
  object.is_started = true;
  object.next_range = 0;
  ++g_starts;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* parameters) {
  CUpti_RangeProfiler_Object& object = *parameters->pRangeProfilerObject;
  if (!object.is_started) return CUPTI_ERROR_INVALID_OPERATION;
  object.is_started = false;
  parameters->passIndex = object.pass + 1;
  parameters->isAllPassSubmitted =
      object.is_replaying || parameters->passIndex == fake::passes_of(object.image);
  return result_of("cuptiRangeProfilerStop");
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* parameters) {
  parameters->numOfRangeDropped =
      image_of(parameters->pRangeProfilerObject->data).dropped + (fails("dropped ranges") ? 1 : 0);
  return result_of("cuptiRangeProfilerDecodeData");
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(
    CUpti_RangeProfiler_GetCounterDataInfo_Params* parameters) {
  parameters->numTotalRanges = image_of(parameters->pCounterDataImage).ranges;
  return result_of("cuptiRangeProfilerGetCounterDataInfo");
}

}  // extern "C"
