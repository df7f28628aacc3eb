// Functions of the C library in which samples are, also if their calls were too short to be
// recorded.
#pragma once

#include <map>
#include <string>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"

namespace prof::analyze {

// By the name of the function. They are made the first time.
const std::map<std::string, SampledCalls>& sampled_calls(CpuFacts& facts);

}  // namespace prof::analyze
