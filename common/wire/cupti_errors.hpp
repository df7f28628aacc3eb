// CUPTI's errors that users can do something about, by their numbers (CUptiResult).
#pragma once

#include <cstdint>

namespace prof::wire {

struct CuptiError {
  std::uint32_t result;
  const char* name;
  const char* reason;  // empty: the name says it
  const char* advice;  // a sentence without its full stop, or empty
};

inline constexpr CuptiError kCuptiErrors[] = {
    {7, "CUPTI_ERROR_INVALID_OPERATION", "", ""},
    {8, "CUPTI_ERROR_OUT_OF_MEMORY", "there is too little memory", ""},
    {14, "CUPTI_ERROR_NOT_COMPATIBLE", "libcupti does not match the driver",
     "Name one that does with --cupti-path"},
    {15, "CUPTI_ERROR_NOT_INITIALIZED",
     "there is no driver, libcupti does not match it, or it lacks libnvperf_host or "
     "libnvperf_target beside it",
     "Name one that matches with --cupti-path"},
    {26, "CUPTI_ERROR_HARDWARE_BUSY",
     "another tool uses the counters of the GPU (nsys, ncu, DCGM, another prof)",
     "End that tool; DCGM pauses with: dcgmi profile --pause"},
    {27, "CUPTI_ERROR_NOT_SUPPORTED", "this driver or GPU does not support it", ""},
    {33, "CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED",
     "profiling is not enabled for this virtual GPU", ""},
    {35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "the driver allows it to administrators only",
     "Run prof as root, or set NVreg_RestrictProfilingToAdminUsers=0 for the kernel module "
     "nvidia"},
    {36, "CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED",
     "the program uses CUPTI's older interface for counters", ""},
    {39, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", "another tool uses CUPTI", ""},
    {40, "CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES",
     "profiling is not allowed for this virtual GPU", ""},
    {41, "CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED",
     "the GPU is in the mode for confidential computing", ""},
    {42, "CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED", "mining processors have no counters", ""},
    {43, "CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED",
     "the GPU is split into MIG instances, whose counters cannot be read",
     "Switch MIG off with: nvidia-smi -mig 0"},
    {44, "CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED", "GPUs that are linked by SLI have no counters",
     ""},
    {45, "CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED", "there are no counters in WSL", ""},
    {47, "CUPTI_ERROR_HES_TRACE_NOT_SUPPORTED_ON_MPS", "", ""},
};

// Returns null for other errors.
constexpr const CuptiError* find_cupti_error(std::uint32_t result) {
  for (const CuptiError& error : kCuptiErrors)
    if (error.result == result) return &error;
  return nullptr;
}

}  // namespace prof::wire
