// The numbers of event classes: ids of ENUM_NSYS_EVENT_CLASS.
#pragma once

#include <cstdint>

namespace prof::report {

enum class EventClass : std::int32_t {
  kCudaRuntime = 0,
  kCudaDriver = 1,
  kOpenGl = 2,
  kOpenGlWorkload = 5,
  kOsRuntime = 27,
  kCudnn = 28,
  kCublas = 29,
  kCudaBacktrace = 67,  // call chains of CUDA API calls, in reports of nsys before 2024
  kGraphNodeCreation = 77,
  kOpenMp = 78,
  kGraphExecCreation = 94,
  kGraphCreation = 95,
  kGraphClone = 96,
  kSystemCall = 107,
  // Classes of prof. nsys has no numbers for these classes; nsys's own numbers are far below.
  kCusolver = 1001,
  kCusparse = 1002,
  kNccl = 1003,
};

}  // namespace prof::report
