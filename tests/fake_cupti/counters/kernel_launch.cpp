#include "counters/kernel_launch.hpp"

#include <cuda.h>

#include <functional>

#include "counters/ranges.hpp"
#include "counters/sass_metrics.hpp"
#include "fake_cupti.hpp"

namespace {

// In the order of cuLaunchKernel.
struct LaunchParameters {
  void* function = nullptr;
  unsigned int grid[3] = {1, 1, 1};
  unsigned int block[3] = {32, 1, 1};
  unsigned int shared = 0;
  void* stream = nullptr;
  void* kernel_parameters = nullptr;
  void* extra = nullptr;
};

}  // namespace

namespace fake {

void launch_kernel(const char* name, unsigned int blocks, const std::function<void()>& kernel,
                   CUpti_CallbackId id) {
  LaunchParameters parameters;
  parameters.grid[0] = blocks;
  Arguments arguments;
  arguments.all_parameters = &parameters;
  arguments.symbol = name;
  const auto run = [&] {
    run_kernel(blocks, 32, false, kernel);
    count_instructions(name, code_of_kernels(), blocks);
  };
  const ApiCall runtime(CUPTI_CB_DOMAIN_RUNTIME_API,
                        CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
  set_kernel(run);
  const ApiCall driver(CUPTI_CB_DOMAIN_DRIVER_API, id, arguments);
  run();
  set_kernel({});
}

}  // namespace fake
