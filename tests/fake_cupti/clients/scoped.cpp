// A client that tries the functions with a subscriber first, as XLA does.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

#include "scenarios.hpp"
#include "user.hpp"

namespace fake {

namespace {

// The parameters of CUPTI 13.3.
struct Parameters {
  CUpti_SubscriberParams first{};
  std::uint8_t allows_others = 1;
};
static_assert(sizeof(Parameters) == 40);

template <class Function>
Function* find(const char* name) {
  void* const library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
  void* const found = dlsym(library, name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

CUptiResult subscribe(std::size_t size, CUpti_SubscriberHandle& handle) {
  const auto nothing = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  Parameters parameters;
  parameters.first.structSize = size;
  return find<decltype(cuptiSubscribe_v2)>("cuptiSubscribe_v2")(&handle, nothing, nullptr,
                                                                &parameters.first);
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

Json scoped() {
  StartedGpu gpu;
  User& user = User::create(0, "fake_client_lookup.so");
  CUpti_SubscriberHandle handle = nullptr;
  const CUptiResult result = subscribe(sizeof(Parameters), handle);
  if (result != CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) user.register_callbacks();
  if (result == CUPTI_SUCCESS) {
    user.must(get_time(handle), "time");
    user.must(enable_kernels(handle), "enable");
  } else if (result == CUPTI_ERROR_NOT_SUPPORTED) {
    user.subscribe();
    user.enable({kKernel});
  }
  gpu.launch("first", kFirst);
  user.flush();
  Json answer = {user.answer()};
  answer[0]["subscribed"] = result;
  return answer;
}

Json scoped_calls_with_an_older_subscription() {
  StartedGpu gpu;
  CUpti_SubscriberHandle handle = nullptr;
  const Json results = {subscribe(sizeof(CUpti_SubscriberParams), handle), get_time(handle),
                        enable_kernels(handle)};
  return {{{"results", results}}};
}

}  // namespace fake
