// The functions of NVIDIA's driver and of CUPTI that sampling needs. They are loaded at run time.
#pragma once

#include <cuda.h>
#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <string>

#include "collector/metrics/sized_parameters.hpp"
#include "common/base/result.hpp"

namespace prof::metrics {

#define PROF_DRIVER_FUNCTIONS(F) \
  F(cuInit)                      \
  F(cuDeviceGetCount)            \
  F(cuDeviceGet)                 \
  F(cuDeviceGetName)             \
  F(cuDeviceGetAttribute)

#define PROF_SAMPLING_FUNCTIONS(F)             \
  F(cuptiActivityRegisterTimestampCallback)    \
  F(cuptiGetResultString)                      \
  F(cuptiProfilerInitialize)                   \
  F(cuptiDeviceGetChipName)                    \
  F(cuptiProfilerHostInitialize)               \
  F(cuptiProfilerHostDeinitialize)             \
  F(cuptiProfilerHostConfigAddMetrics)         \
  F(cuptiProfilerHostGetConfigImageSize)       \
  F(cuptiProfilerHostGetConfigImage)           \
  F(cuptiProfilerHostGetNumOfPasses)           \
  F(cuptiProfilerHostEvaluateToGpuValues)      \
  F(cuptiPmSamplingGetCounterAvailability)     \
  F(cuptiPmSamplingEnable)                     \
  F(cuptiPmSamplingDisable)                    \
  F(cuptiPmSamplingSetConfig)                  \
  F(cuptiPmSamplingGetCounterDataSize)         \
  F(cuptiPmSamplingCounterDataImageInitialize) \
  F(cuptiPmSamplingStart)                      \
  F(cuptiPmSamplingStop)                       \
  F(cuptiPmSamplingDecodeData)                 \
  F(cuptiPmSamplingGetCounterDataInfo)         \
  F(cuptiPmSamplingCounterDataGetSampleInfo)

struct CuptiLibrary {
  // Loads libcuda and libcupti and initialises the driver. `path`: the libcupti to use; empty:
  // search the system and toolkits for one.
  static base::Result<CuptiLibrary> load(const std::string& path);

#define PROF_MEMBER(name) decltype(&::name) name = nullptr;
  PROF_DRIVER_FUNCTIONS(PROF_MEMBER)
  PROF_SAMPLING_FUNCTIONS(PROF_MEMBER)
#undef PROF_MEMBER
};

// Explains why a call failed, and what to do. `call`: the function's name, for unexpected errors.
base::Error explain(const CuptiLibrary& cupti, CUptiResult result, const char* call);

// True if the machine, and not the request, keeps the counters of a GPU from being read.
bool is_refusal(CUptiResult result);

}  // namespace prof::metrics
