// Calls of the CUDA API for programs in Python, which use ctypes.
#include <cuda.h>

#include <chrono>

#include "counters/kernel_launch.hpp"
#include "fake_cupti.hpp"

namespace {

void launch() {
  const fake::ApiCall call(CUPTI_CB_DOMAIN_RUNTIME_API,
                           CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
}

}  // namespace

extern "C" {

void fake_init() { cuInit(0); }

void fake_launch() { launch(); }

// A kernel with a name, that prof kernel can profile.
void fake_launch_kernel(const char* name, unsigned int blocks) {
  fake::launch_kernel(name, blocks, [] {});
}

// A call of the API calls Python back, which may make further calls.
void fake_launch_around(void (*inside)()) {
  const fake::ApiCall call(CUPTI_CB_DOMAIN_RUNTIME_API,
                           CUPTI_RUNTIME_TRACE_CBID_cudaLaunchHostFunc_v10000);
  inside();
}

// Nanoseconds for a launch, measured over many launches from one line.
double fake_time_launches(int launches) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) launch();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / launches;
}

}  // extern "C"
