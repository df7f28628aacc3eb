// The names that --trace takes.
#pragma once

#include <cstdint>
#include <string>

namespace prof::cli {

struct Traces {
  bool osrt = false;
  bool nvtx = false;
  bool cuda = false;
  bool system_calls = false;
  bool python_gil = false;
  std::uint32_t libraries = 0;  // bit of each wire::Library
  bool cuda_hardware = false;   // cuda-hw: cuda, with CUPTI's hardware trace where the GPU has it
};

// All names, for messages: "cublas, cuda, ...".
std::string trace_names();

// Parses a comma-separated list. Throws Failure for an unknown name (with a suggestion) and for one
// that nsys knows and prof does not.
Traces parse_traces(const std::string& list);

}  // namespace prof::cli
