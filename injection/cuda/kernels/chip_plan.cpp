#include "injection/cuda/kernels/chip_plan.hpp"

#include <cstring>

#include "injection/core/layout.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::cuda::kernels {

namespace {

using wire::KernelProfileReason;

constexpr std::uint32_t kMaxPlans = 16;
PROF_SELDOM constinit ChipPlan g_plans[kMaxPlans]{};

constexpr Failure kNoMemory{KernelProfileReason::kNone,
                            RangeFunction::k_cuptiProfilerHostGetConfigImage,
                            CUPTI_ERROR_OUT_OF_MEMORY};

// What CUPTI needs to know about a GPU before it plans.
struct Gpu {
  const char* chip = nullptr;
  std::uint8_t* availability = nullptr;
};

Failure describe(std::uint32_t device, CUcontext context, Gpu& gpu) {
  PROF_RANGE_PARAMETERS(CUpti_Device_GetChipName, chip);
  chip.deviceIndex = device;
  PROF_RANGE_CALL(cuptiDeviceGetChipName, chip);
  gpu.chip = chip.pChipName;
  PROF_RANGE_PARAMETERS(CUpti_Profiler_GetCounterAvailability, size);
  size.ctx = context;
  PROF_RANGE_CALL(cuptiProfilerGetCounterAvailability, size);
  gpu.availability = lasting_memory(size.counterAvailabilityImageSize);
  if (gpu.availability == nullptr) return kNoMemory;
  size.pCounterAvailabilityImage = gpu.availability;
  PROF_RANGE_CALL(cuptiProfilerGetCounterAvailability, size);
  return {};
}

Failure open_host(const Gpu& gpu, CUpti_Profiler_Host_Object*& host) {
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_Initialize, parameters);
  parameters.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  parameters.pChipName = gpu.chip;
  parameters.pCounterAvailabilityImage = gpu.availability;
  PROF_RANGE_CALL(cuptiProfilerHostInitialize, parameters);
  host = parameters.pHostObject;
  return {};
}

void close_host(CUpti_Profiler_Host_Object*& host) {
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_Deinitialize, parameters);
  parameters.pHostObject = host;
  if (host != nullptr) g_range.cuptiProfilerHostDeinitialize(&parameters);
  host = nullptr;
}

Failure add_metrics(CUpti_Profiler_Host_Object* host, const char** names, std::size_t count) {
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics, parameters);
  parameters.pHostObject = host;
  parameters.ppMetricNames = names;
  parameters.numMetrics = count;
  PROF_RANGE_CALL(cuptiProfilerHostConfigAddMetrics, parameters);
  return {};
}

// Returns false if the metric's `except` has a beginning of the chip's name.
bool is_for(const MetricLine& metric, const char* chip) {
  for (const char* word = metric.except; *word != '\0';) {
    const std::size_t length = std::strcspn(word, " ");
    if (std::strncmp(word, chip, length) == 0) return false;
    word += length;
    if (*word == ' ') ++word;
  }
  return true;
}

// Keeps the metrics that CUPTI knows. A host object that has refused a metric cannot be used again.
void drop_unknown(const Gpu& gpu, ChipPlan& made) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < made.num_metrics; ++i) {
    CUpti_Profiler_Host_Object* host = nullptr;
    if (!open_host(gpu, host) && !add_metrics(host, &made.names[i], 1))
      made.names[kept++] = made.names[i];
    close_host(host);
  }
  made.num_metrics = kept;
}

Failure choose_metrics(const Plan& plan, const Gpu& gpu, ChipPlan& made) {
  for (std::size_t i = 0; i < plan.num_metrics; ++i)
    if (is_for(plan.metrics[i], gpu.chip)) made.names[made.num_metrics++] = plan.metrics[i].name;
  if (Failure failure = open_host(gpu, made.host)) return failure;
  if (!add_metrics(made.host, made.names, made.num_metrics)) return {};
  close_host(made.host);
  drop_unknown(gpu, made);
  if (made.num_metrics == 0) return {KernelProfileReason::kNoMetrics};
  if (Failure failure = open_host(gpu, made.host)) return failure;
  return add_metrics(made.host, made.names, made.num_metrics);
}

Failure make_image(ChipPlan& made) {
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize, size);
  size.pHostObject = made.host;
  PROF_RANGE_CALL(cuptiProfilerHostGetConfigImageSize, size);
  made.image_bytes = size.configImageSize;
  made.image = lasting_memory(made.image_bytes);
  if (made.image == nullptr) return kNoMemory;
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_GetConfigImage, content);
  content.pHostObject = made.host;
  content.configImageSize = made.image_bytes;
  content.pConfigImage = made.image;
  PROF_RANGE_CALL(cuptiProfilerHostGetConfigImage, content);
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses, passes);
  passes.configImageSize = made.image_bytes;
  passes.pConfigImage = made.image;
  PROF_RANGE_CALL(cuptiProfilerHostGetNumOfPasses, passes);
  made.passes = passes.numOfPasses;
  return {};
}

// Sends the names, units and descriptions of the metrics.
void send_names(ChipPlan& made) {
  for (std::size_t i = 0; i < made.num_metrics; ++i) {
    PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties, properties);
    properties.pHostObject = made.host;
    properties.pMetricName = made.names[i];
    if (g_range.cuptiProfilerHostGetMetricProperties(&properties) != CUPTI_SUCCESS)
      properties.pDimUnit = properties.pDescription = nullptr;
    made.hashes[i] = core::intern(made.names[i]);
    core::append(wire::KernelMetricNameRecord{
        core::header_of<wire::KernelMetricNameRecord>(wire::RecordType::kKernelMetricName),
        made.hashes[i], core::intern(properties.pDimUnit), core::intern(properties.pDescription),
        made.chip});
  }
}

Failure make(const Plan& plan, std::uint32_t device, CUcontext context, ChipPlan& made) {
  Gpu gpu;
  if (Failure failure = describe(device, context, gpu)) return failure;
  made.chip = core::intern(gpu.chip);
  if (Failure failure = choose_metrics(plan, gpu, made)) return failure;
  if (Failure failure = make_image(made)) return failure;
  send_names(made);
  return {};
}

}  // namespace

std::uint8_t* lasting_memory(std::size_t bytes) {
  void* memory = core::sys::mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  return core::sys::failed(memory) ? nullptr : static_cast<std::uint8_t*>(memory);
}

ChipPlan* plan_for(const Plan& plan, std::uint32_t device, CUcontext context) {
  if (device >= kMaxPlans) return nullptr;
  ChipPlan& made = g_plans[device];
  if (!made.is_made) {
    made.is_made = true;
    made.failure = make(plan, device, context, made);
  }
  return &made;
}

}  // namespace prof::cuda::kernels
