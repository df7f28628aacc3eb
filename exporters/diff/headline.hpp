// What changed between two reports, in a few lines for a person.
#pragma once

#include <string>
#include <vector>

#include "exporters/diff/comparison.hpp"

namespace prof::diff {

// The duration, the GPUs, and then a line for each category with the names that changed most: what
// GPUs do first, for the CPU mostly waits for it. Categories that changed little have none.
std::vector<std::string> headline(const Comparison& comparison);

}  // namespace prof::diff
