// Functions of the C library in which samples are, also if their calls were too short to be
// recorded.
#pragma once

#include <map>
#include <string>

#include "exporters/analyze/program/cpu_facts.hpp"

namespace prof::analyze {

struct SampledCalls {
  double share = 0;                      // ns of the program's time
  double in_kernel = 0;                  // the part of it inside of system calls
  std::map<std::string, double> places;  // shares by place: "write < log (app.c:33)"
};

// By the name of the function.
std::map<std::string, SampledCalls> sampled_calls(const CpuFacts& facts);

}  // namespace prof::analyze
