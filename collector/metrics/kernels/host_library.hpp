// CUPTI's host interface: which metrics a chip has, and how many passes they take. It needs
// libcupti and libnvperf_host, but neither a GPU nor a driver.
#pragma once

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_target.h>

#include <string>

#include "common/base/result.hpp"

namespace prof::metrics {

#define PROF_HOST_FUNCTIONS(F)            \
  F(cuptiGetResultString)                 \
  F(cuptiDeviceGetChipName)               \
  F(cuptiProfilerHostInitialize)          \
  F(cuptiProfilerHostDeinitialize)        \
  F(cuptiProfilerHostGetSupportedChips)   \
  F(cuptiProfilerHostGetBaseMetrics)      \
  F(cuptiProfilerHostGetMetricProperties) \
  F(cuptiProfilerHostConfigAddMetrics)    \
  F(cuptiProfilerHostGetConfigImageSize)  \
  F(cuptiProfilerHostGetConfigImage)      \
  F(cuptiProfilerHostGetNumOfPasses)

struct HostLibrary {
  // `path`: the libcupti to use; empty: search for one.
  static base::Result<HostLibrary> load(const std::string& path);

  void* nvperf = nullptr;  // libnvperf_host

#define PROF_HOST_MEMBER(name) decltype(&::name) name = nullptr;
  PROF_HOST_FUNCTIONS(PROF_HOST_MEMBER)
#undef PROF_HOST_MEMBER
};

}  // namespace prof::metrics
