// What a program did, read from an nsys report of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gpu.hpp"

namespace fake {

// A range of a thread: an NVTX range, a mark, or a call of the CUDA API.
struct Action {
  enum class Kind { kPush, kStart, kEnd, kMark, kRuntime, kDriver };
  Kind kind;
  std::int64_t start;
  std::int64_t end;  // of what has no length: its start
  std::int64_t thread;
  std::string name;
  std::string domain;             // of NVTX; empty: the default
  bool is_registered = false;     // NVTX text
  std::uint32_t correlation = 0;  // of a start/end range: its number
  std::int32_t result = 0;
  std::uint32_t stream = 0;  // that the call waits for; 0: none
};

// Records of CUPTI with the times of the report. Names point into `texts`.
struct GpuWork {
  std::vector<CUpti_ActivityKernel10> kernels;
  std::vector<CUpti_ActivityMemcpy6> copies;
  std::vector<CUpti_ActivityMemset4> fills;
  std::vector<CUpti_ActivityGraphTrace2> graphs;
};

struct ReportRows {
  std::vector<Action> actions;            // by start
  std::map<std::uint32_t, GpuWork> work;  // by the correlation id of the launching call
  std::vector<CUpti_ActivityDevice5> devices;
  std::vector<CUpti_ActivityContext3> contexts;
  std::vector<CUpti_ActivityStream> streams;
};

// Exits with 2 if the file cannot be read.
ReportRows read_report(const char* path);

}  // namespace fake
