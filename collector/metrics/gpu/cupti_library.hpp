// The functions of NVIDIA's driver and of CUPTI that sampling needs, loaded when they are used.
#pragma once

#include <cuda.h>
#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <string>

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

// CUPTI's parameters know their size, which tells CUPTI the version of the caller.
#define PROF_CUPTI_PARAMETERS(Name, variable) \
  Name##_Params variable{};                   \
  variable.structSize = Name##_Params_STRUCT_SIZE

struct CuptiLibrary {
  // Loads libcuda and libcupti and initialises the driver. `path`: the libcupti to use; empty:
  // that of the system or of a toolkit.
  static base::Result<CuptiLibrary> load(const std::string& path);

#define PROF_MEMBER(name) decltype(&::name) name = nullptr;
  PROF_DRIVER_FUNCTIONS(PROF_MEMBER)
  PROF_SAMPLING_FUNCTIONS(PROF_MEMBER)
#undef PROF_MEMBER
};

// Why a call failed, and what to do. `call`: the function, for errors that nobody expects.
base::Error explain(const CuptiLibrary& cupti, CUptiResult result, const char* call);

// Is there something about the machine that keeps all counters of a GPU from being read?
bool is_refusal(CUptiResult result);

}  // namespace prof::metrics
