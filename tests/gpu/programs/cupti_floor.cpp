// The minimum that a CUPTI tool must do to get the data of prof's core rows: records of kernels,
// copies and fills, and callbacks on launches. It discards the data. No profiler of this kind can
// cost less. Named by CUDA_INJECTION64_PATH.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include <cupti.h>

namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

void CUPTIAPI on_buffer_requested(std::uint8_t** memory, std::size_t* size, std::size_t* records) {
  *memory = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = *memory == nullptr ? 0 : kBufferBytes;
  *records = 0;
}

void CUPTIAPI on_buffer_completed(CUcontext, std::uint32_t, std::uint8_t* memory, std::size_t,
                                  std::size_t) {
  std::free(memory);
}

}  // namespace

extern "C" int InitializeInjection() {
  CUpti_SubscriberHandle subscriber;
  if (cuptiSubscribe(&subscriber, on_callback, nullptr) != CUPTI_SUCCESS) return 1;
  cuptiActivityRegisterCallbacks(on_buffer_requested, on_buffer_completed);
  for (const CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                        CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET})
    cuptiActivityEnable(kind);
  for (const CUpti_CallbackId id : {CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                                    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060})
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, id);
  for (const CUpti_CallbackId id :
       {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx})
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
  std::fputs("cupti_floor: on\n", stderr);  // shows the suite that the library was loaded
  return 1;
}
