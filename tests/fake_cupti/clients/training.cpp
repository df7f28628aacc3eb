// fake_cupti_training STEPS [CLIENT]: steps as those of a small network in PyTorch, with a client
// that does what PyTorch's profiler does if its library is named. For callgrind, which counts what
// the injection library executes (tests/bench/cupti_clients.py).
#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "client.hpp"
#include "fake_cupti.hpp"

namespace fake {

namespace {

constexpr int kOperators = 60;
constexpr int kLaunches = 5;  // in each operator
constexpr int kQueries =
    56;  // in each operator; PyTorch asks for the device before it does anything
constexpr std::size_t kBufferBytes = 4 << 20;  // as Kineto's
constexpr int kKinds[] = {1, 2, 10, 39, 5, 4, 17};

void request(std::uint8_t** memory, std::size_t* size, std::size_t* records) {
  *memory = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = kBufferBytes;
  *records = 0;
}

void complete(CUcontext, std::uint32_t, std::uint8_t* memory, std::size_t, std::size_t) {
  std::free(memory);
}

void launch() {
  const ApiCall runtime(CUPTI_CB_DOMAIN_RUNTIME_API,
                        CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
  const ApiCall driver(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = "_Z5saxpyfPfi";
  kernel.contextId = 1;
  kernel.streamId = 7;
  kernel.correlationId = runtime.correlation;
  kernel.start = now();
  kernel.end = kernel.start + 5000;
  record(&kernel, sizeof kernel);
}

void query() {
  const ApiCall call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020);
}

void step(const Cupti* client, std::uint64_t number) {
  for (int i = 0; i < kOperators; ++i) {
    if (client != nullptr)
      client->cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                                                     number * kOperators + i);
    for (int n = 0; n < kLaunches; ++n) launch();
    for (int n = 0; n < kQueries; ++n) query();
    std::uint64_t last = 0;
    if (client != nullptr)
      client->cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
  }
}

void ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

}  // namespace

}  // namespace fake

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const fake::Cupti* client = nullptr;
  if (argc > 2) {
    void* const library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return 2;
    client = reinterpret_cast<decltype(&fake_client)>(dlsym(library, "fake_client"))();
  }
  cuInit(0);
  if (client != nullptr) {
    CUpti_SubscriberHandle handle = nullptr;
    client->cuptiSubscribe(&handle, fake::ignore, nullptr);
    client->cuptiActivityRegisterCallbacks(fake::request, fake::complete);
    for (const int kind : fake::kKinds)
      client->cuptiActivityEnable(static_cast<CUpti_ActivityKind>(kind));
  }
  const int steps = std::atoi(argv[1]);
  for (int i = 0; i < steps; ++i) fake::step(client, static_cast<std::uint64_t>(i));
  if (client != nullptr) {
    for (const int kind : fake::kKinds)
      client->cuptiActivityDisable(static_cast<CUpti_ActivityKind>(kind));
    client->cuptiActivityFlushAll(0);
  }
  return 0;
}
