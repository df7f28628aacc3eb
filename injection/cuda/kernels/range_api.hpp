// The functions of CUPTI's range profiler and its host interface, which libcupti has from CUDA 12.6
// on.
#pragma once

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#include <cstdint>

#include "common/wire/kernel_records.hpp"

namespace prof::cuda::kernels {

// Numbers of the functions, for KernelProfileRecord::function.
enum class RangeFunction : std::uint32_t {
#define X(name) k_##name,
  PROF_RANGE_FUNCTIONS(X)
#undef X
};

struct RangeApi {
#define X(name) decltype(&::name) name;
  PROF_RANGE_FUNCTIONS(X)
#undef X
};
extern RangeApi g_range;

// Finds the functions in the loaded libcupti, and loads the libraries beside it that they need.
// Returns whether all are there.
bool load_range_api();

// Why a launch has no values. `result` is CUPTI_SUCCESS if all is well or if prof itself refuses.
struct Failure {
  wire::KernelProfileReason reason = wire::KernelProfileReason::kNone;
  RangeFunction function{};
  CUptiResult result = CUPTI_SUCCESS;

  explicit operator bool() const {
    return reason != wire::KernelProfileReason::kNone || result != CUPTI_SUCCESS;
  }
};

// Calls a function of g_range. In a function that returns a Failure: returns it if the call fails.
#define PROF_RANGE_CALL(name, parameters)                                                       \
  if (const CUptiResult result_of_call = ::prof::cuda::kernels::g_range.name(&(parameters));    \
      result_of_call != CUPTI_SUCCESS)                                                          \
    return ::prof::cuda::kernels::Failure {                                                     \
      ::prof::wire::KernelProfileReason::kNone, ::prof::cuda::kernels::RangeFunction::k_##name, \
          result_of_call                                                                        \
    }

// CUPTI's parameter structs contain their size, from which CUPTI knows the version of the caller.
#define PROF_RANGE_PARAMETERS(Name, variable) \
  Name##_Params variable{};                   \
  variable.structSize = Name##_Params_STRUCT_SIZE

}  // namespace prof::cuda::kernels
