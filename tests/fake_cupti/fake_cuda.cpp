// libcuda.so.1 without a GPU. cuInit loads the tool, as NVIDIA's does. There are only the few
// functions that a tool calls to query devices.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "counters/ranges.hpp"
#include "fake_cupti.hpp"

namespace {

int device_count() {
  const char* text = std::getenv("FAKE_CUDA_DEVICES");
  return text == nullptr ? 2 : std::atoi(text);
}

// Ignores a library that cannot be loaded or lacks the function.
void load_tool() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == '\0') return;
  void* tool = dlopen(path, RTLD_NOW);
  if (tool == nullptr) return;
  if (auto* start = reinterpret_cast<int (*)()>(dlsym(tool, "InitializeInjection"))) start();
}

bool g_ready;
thread_local CUcontext t_context;
thread_local bool t_is_capturing;
thread_local CUstream t_captured;
constexpr std::size_t kMemory = std::size_t{80} << 30;

bool is_default(CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned int) {
  static std::once_flag once;
  std::call_once(once, [] {
    load_tool();
    g_ready = true;
    fake::init_finished(device_count());
  });
  return CUDA_SUCCESS;
}

// Only the tool calls it, in a callback of a launch. CUPTI calls back for that, too.
CUresult cuLaunchKernel(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int,
                        unsigned int, unsigned int, unsigned int, CUstream, void**, void**) {
  const fake::ApiCall call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  fake::run_kernel_again();
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }

// FAKE_CUDA_FULL: a quarter of the memory is free, else three quarters.
CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = kMemory;
  *free = std::getenv("FAKE_CUDA_FULL") == nullptr ? kMemory / 4 * 3 : kMemory / 4;
  return CUDA_SUCCESS;
}
// The driver still has the function of CUDA 3.1, which writes the lower half of each number.
#undef cuMemGetInfo
CUresult cuMemGetInfo(unsigned int* free, unsigned int* total) {
  *free = *total = static_cast<unsigned int>(kMemory);
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  // A call that nobody traces gets no correlation id.
  std::optional<fake::ApiCall> call;
  constexpr auto kDomain = CUPTI_CB_DOMAIN_DRIVER_API;
  constexpr auto kId = CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion;
  if (fake::listens(kDomain, kId)) call.emplace(kDomain, kId);
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  if (!g_ready) return CUDA_ERROR_NOT_INITIALIZED;
  *count = device_count();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!g_ready) return CUDA_ERROR_NOT_INITIALIZED;
  if (ordinal < 0 || ordinal >= device_count()) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  const auto& machine = fake::misbehaviour();
  std::snprintf(name, static_cast<std::size_t>(length), "NVIDIA %s%s",
                machine.is_blackwell ? "B200" : "H200", machine.mig ? " MIG 1g.18gb" : "");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      *value = 0xa0 + fake::physical(device);
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
      *value = 0x1f;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 132;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      *value = 1'980'000;  // kHz
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = fake::misbehaviour().is_blackwell ? 10 : 9;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MPS_ENABLED:
      *value = fake::misbehaviour().mps ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 232448;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuCtxSetCurrent(CUcontext context) {
  t_context = context;
  return CUDA_SUCCESS;
}

// The fake's programs use the first device unless they say otherwise.
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}

void fake_set_capturing(int is_capturing, CUstream stream) {
  t_is_capturing = is_capturing != 0;
  t_captured = stream;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  const bool is_active = t_is_capturing && stream == t_captured;
  *status = is_active ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 40;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = 1024;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = 16;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  *context = is_default(stream)
                 ? t_context
                 : reinterpret_cast<CUcontext>(reinterpret_cast<fake::Stream*>(stream)->context);
  return *context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

}  // extern "C"
