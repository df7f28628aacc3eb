#include "collector/metrics/gpu/cupti_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glob.h>

#include <string>
#include <vector>

#include "collector/metrics/metric_buffer.hpp"

namespace prof::metrics {

using base::fail;

namespace {

// Name of the toolkit's folder for this processor.
#if defined(__x86_64__)
constexpr const char* kTarget = "/usr/local/cuda-*/targets/x86_64-linux/lib/";
#else
constexpr const char* kTarget = "/usr/local/cuda-*/targets/sbsa-linux/lib/";
#endif

// The newest version comes first. All minor versions of a major version are compatible.
constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12"};
constexpr const char* kToolkits[] = {
    "/usr/local/cuda/extras/CUPTI/lib64/",
    "/usr/local/cuda/lib64/",
    "/usr/local/cuda-*/extras/CUPTI/lib64/",
    "/usr/local/cuda-*/lib64/",
    kTarget,
    "/opt/cuda/extras/CUPTI/lib64/",
};

void* open_library(const std::string& path) {
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

std::vector<std::string> matching(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  return paths;
}

void* find_cupti() {
  for (const char* name : kNames)
    if (void* library = open_library(name)) return library;
  for (const char* name : kNames)
    for (const char* folder : kToolkits)
      for (const std::string& path : matching(std::string(folder) + name))
        if (void* library = open_library(path)) return library;
  return nullptr;
}

template <class Function>
bool resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

base::Result<void*> open_cupti(const std::string& path) {
  if (path.empty()) {
    if (void* library = find_cupti()) return library;
    return fail("libcupti was not found. Install the CUDA toolkit, or name it with --cupti-path");
  }
  if (void* library = open_library(path)) return library;
  return fail(fmt::format("{} cannot be loaded ({})", path, dlerror()));
}

}  // namespace

base::Result<CuptiLibrary> CuptiLibrary::load(const std::string& path) {
  CuptiLibrary functions;
  void* const driver = open_library("libcuda.so.1");
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
  PROF_CUPTI_PARAMETERS(CUpti_Profiler_Initialize, parameters);
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
  switch (result) {
    case CUPTI_ERROR_HARDWARE_BUSY:
      return {
          "another tool uses its counters (nsys, ncu, DCGM or another prof). End that tool; "
          "DCGM pauses with: dcgmi profile --pause"};
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return {
          "the driver lets only administrators read counters. Run prof as root, or set "
          "NVreg_RestrictProfilingToAdminUsers=0 for the nvidia kernel module"};
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return {
          "it is split into MIG instances, whose counters cannot be sampled. Switch MIG off "
          "with: nvidia-smi -mig 0"};
    default:
      break;
  }
  const char* name = nullptr;
  cupti.cuptiGetResultString(result, &name);
  return {fmt::format("{} failed with {} ({})", call, name == nullptr ? "an error" : name,
                      static_cast<int>(result))};
}

}  // namespace prof::metrics
