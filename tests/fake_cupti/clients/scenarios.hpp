// Shared by the scenarios of fake_cupti_clients.
#pragma once

#include <string>
#include <vector>

#include <cuda.h>

#include "gpu.hpp"

namespace fake {

inline constexpr int kKernel = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
inline constexpr int kRuntime = CUPTI_ACTIVITY_KIND_RUNTIME;

struct StartedGpu : Gpu {
  StartedGpu() {
    cuInit(0);
    set_up();
  }
};

Json recorded_calls();
Json links();
// These scenarios also take the words of the command that follow the scenario's name.
Json styles(const std::vector<std::string>& words);
Json random_calls(const std::vector<std::string>& words);
Json scoped_calls_with_an_older_subscription();

}  // namespace fake
