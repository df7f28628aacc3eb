// A client that subscribes by the first version's parameters, and then calls functions that have a
// subscriber.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

#include "injection/cuda/cupti_v2.hpp"
#include "scenarios.hpp"

namespace fake {

namespace {

template <class Function>
Function* find(const char* name) {
  void* const library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
  void* const found = dlsym(library, name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

CUptiResult subscribe(CUpti_SubscriberHandle& handle) {
  const auto nothing = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  CUpti_SubscriberParams parameters{};
  parameters.structSize = prof::cuda::v2::kFirstParamsSize;
  return find<decltype(cuptiSubscribe_v2)>("cuptiSubscribe_v2")(&handle, nothing, nullptr,
                                                                &parameters);
}

CUptiResult get_time(CUpti_SubscriberHandle handle) {
  std::uint64_t time = 0;
  return find<CUptiResult(CUpti_SubscriberHandle, std::uint64_t*)>("cuptiGetTimestamp_v2")(handle,
                                                                                           &time);
}

CUptiResult enable_kernels(CUpti_SubscriberHandle handle) {
  return find<CUptiResult(CUpti_SubscriberHandle, CUpti_ActivityKind, void*)>(
      "cuptiActivityEnable_v2")(handle, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, nullptr);
}

}  // namespace

Json scoped_calls_with_an_older_subscription() {
  StartedGpu gpu;
  CUpti_SubscriberHandle handle = nullptr;
  const Json results = {subscribe(handle), get_time(handle), enable_kernels(handle)};
  return {{{"results", results}}};
}

}  // namespace fake
