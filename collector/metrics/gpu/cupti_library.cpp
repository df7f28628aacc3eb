#include "collector/metrics/gpu/cupti_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "collector/metrics/gpu/cupti_search.hpp"
#include "collector/metrics/metric_buffer.hpp"
#include "common/wire/cupti_errors.hpp"

namespace prof::metrics {

using base::fail;

namespace {

template <class Function>
bool resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

base::Result<CuptiLibrary> CuptiLibrary::load(const std::string& path) {
  CuptiLibrary functions;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (driver == nullptr) return fail("NVIDIA's driver (libcuda.so.1) was not found");
  bool complete = true;
#define PROF_RESOLVE(name) complete = resolve(driver, #name, functions.name) && complete;
  PROF_DRIVER_FUNCTIONS(PROF_RESOLVE)
#undef PROF_RESOLVE
  if (!complete) return fail("NVIDIA's driver (libcuda.so.1) lacks functions");
  if (const CUresult result = functions.cuInit(0); result != CUDA_SUCCESS)
    return fail(fmt::format("NVIDIA's driver finds no usable GPU (cuInit returned {})",
                            static_cast<int>(result)));
  const auto library = open_cupti(path);
  if (!library) return tl::make_unexpected(library.error());
#define PROF_RESOLVE(name) complete = resolve(*library, #name, functions.name) && complete;
  PROF_SAMPLING_FUNCTIONS(PROF_RESOLVE)
#undef PROF_RESOLVE
  if (!complete)
    return fail("libcupti is older than CUDA 12.6. Name a newer one with --cupti-path");
  // Samples then have times of that clock, like records of CUDA activities.
  functions.cuptiActivityRegisterTimestampCallback(now);
  PROF_SIZED_PARAMETERS(CUpti_Profiler_Initialize, parameters);
  if (const CUptiResult result = functions.cuptiProfilerInitialize(&parameters);
      result != CUPTI_SUCCESS)
    return tl::make_unexpected(explain(functions, result, "cuptiProfilerInitialize"));
  return functions;
}

bool is_refusal(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return true;
    default:
      return false;
  }
}

base::Error explain(const CuptiLibrary& cupti, CUptiResult result, const char* call) {
  const wire::CuptiError* error = wire::find_cupti_error(static_cast<std::uint32_t>(result));
  if (is_refusal(result) && error != nullptr)
    return {
        fmt::format("{}{}{}", error->reason, *error->advice == '\0' ? "" : ". ", error->advice)};
  const char* name = nullptr;
  cupti.cuptiGetResultString(result, &name);
  return {fmt::format("{} failed with {} ({})", call, name == nullptr ? "an error" : name,
                      static_cast<int>(result))};
}

}  // namespace prof::metrics
