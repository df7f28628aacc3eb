#include "injection/cuda/kernels/host_object.hpp"

#include "injection/core/syscalls.hpp"

namespace prof::cuda::kernels {

namespace {

using wire::KernelProfileReason;

constexpr Failure kNoMemory{KernelProfileReason::kNone,
                            RangeFunction::k_cuptiProfilerHostGetConfigImage,
                            CUPTI_ERROR_OUT_OF_MEMORY};

// Holds images of which only the passes are counted.
ConfigImage g_scratch;

Failure start_host(const Gpu& gpu, CUpti_Profiler_Host_Object*& host) {
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_Initialize, parameters);
  parameters.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  parameters.pChipName = gpu.chip;
  parameters.pCounterAvailabilityImage = gpu.availability;
  PROF_RANGE_CALL(cuptiProfilerHostInitialize, parameters);
  host = parameters.pHostObject;
  return {};
}

Failure add_metrics(CUpti_Profiler_Host_Object* host, const char** names, std::size_t count) {
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics, parameters);
  parameters.pHostObject = host;
  parameters.ppMetricNames = names;
  parameters.numMetrics = count;
  PROF_RANGE_CALL(cuptiProfilerHostConfigAddMetrics, parameters);
  return {};
}

// Uses the memory of the image if it is large enough.
Failure fill_image(CUpti_Profiler_Host_Object* host, ConfigImage& image, std::size_t& capacity) {
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize, size);
  size.pHostObject = host;
  PROF_RANGE_CALL(cuptiProfilerHostGetConfigImageSize, size);
  if (image.bytes == nullptr || capacity < size.configImageSize) {
    if (image.bytes != nullptr) core::sys::munmap(image.bytes, capacity);
    image.bytes = lasting_memory(capacity = size.configImageSize);
  }
  if (image.bytes == nullptr) return kNoMemory;
  image.size = size.configImageSize;
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_GetConfigImage, content);
  content.pHostObject = host;
  content.configImageSize = image.size;
  content.pConfigImage = image.bytes;
  PROF_RANGE_CALL(cuptiProfilerHostGetConfigImage, content);
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses, passes);
  passes.configImageSize = image.size;
  passes.pConfigImage = image.bytes;
  PROF_RANGE_CALL(cuptiProfilerHostGetNumOfPasses, passes);
  image.passes = passes.numOfPasses;
  return {};
}

}  // namespace

Failure describe_gpu(std::uint32_t device, CUcontext context, Gpu& gpu) {
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

Failure open_host(const Gpu& gpu, const char** names, std::size_t count,
                  CUpti_Profiler_Host_Object*& host) {
  if (Failure failure = start_host(gpu, host)) return failure;
  Failure failure = add_metrics(host, names, count);
  if (failure) close_host(host);
  return failure;
}

void close_host(CUpti_Profiler_Host_Object*& host) {
  PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_Deinitialize, parameters);
  parameters.pHostObject = host;
  if (host != nullptr) g_range.cuptiProfilerHostDeinitialize(&parameters);
  host = nullptr;
}

Failure make_image(CUpti_Profiler_Host_Object* host, ConfigImage& image) {
  std::size_t capacity = 0;
  return fill_image(host, image, capacity);
}

std::size_t passes_of(const Gpu& gpu, const char** names, std::size_t count) {
  static std::size_t capacity;
  CUpti_Profiler_Host_Object* host = nullptr;
  if (open_host(gpu, names, count, host)) return 0;
  const Failure failure = fill_image(host, g_scratch, capacity);
  close_host(host);
  return failure ? 0 : g_scratch.passes;
}

std::uint8_t* lasting_memory(std::size_t bytes) {
  void* memory = core::sys::mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  return core::sys::failed(memory) ? nullptr : static_cast<std::uint8_t*>(memory);
}

}  // namespace prof::cuda::kernels
