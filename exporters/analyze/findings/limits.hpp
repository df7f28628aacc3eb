// --fail-on: which findings are too much.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collector/base/result.hpp"
#include "exporters/analyze/findings/finding.hpp"

namespace prof::analyze {

// Share of the time in percent from which on a finding is too much, by its name; "any" is each.
using Limits = std::map<std::string, double>;

// Of words like "synchronization=5"; without a number every finding of that name is too much.
base::Result<Limits> parse_limits(const std::vector<std::string>& words);

// A sentence for each finding that is too much.
std::vector<std::string> exceeded(const Limits& limits, const Diagnosis& diagnosis);

}  // namespace prof::analyze
