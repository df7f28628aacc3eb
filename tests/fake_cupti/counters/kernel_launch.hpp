// Launches of kernels that the fake's range profiler can count.
#pragma once

#include <cupti.h>

#include <functional>

namespace fake {

// Calls cudaLaunchKernel for a kernel with this mangled name and blocks of 32 threads. `kernel` is
// what it does, `id` the driver's function.
void launch_kernel(const char* name, unsigned int blocks, const std::function<void()>& kernel,
                   CUpti_CallbackId id = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);

}  // namespace fake
