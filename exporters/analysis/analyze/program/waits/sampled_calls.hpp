// Finds the functions of the C library that samples are in, even if their calls were too short to
// be recorded.
#pragma once

#include <map>
#include <string>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"

namespace prof::analyze {

// Returns the calls by the name of the function. They are computed by the first call.
const std::map<std::string, SampledCalls>& sampled_calls(CpuFacts& facts);

}  // namespace prof::analyze
