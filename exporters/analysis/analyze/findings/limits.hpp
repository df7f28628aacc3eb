// Limits for findings: --fail-on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::analyze {

// For each name of a finding, the share of the time in percent above which the finding exceeds its
// limit. "any" stands for every finding.
using Limits = std::map<std::string, double>;

// Parses words such as "synchronization=5". Without a number the limit is 0.
base::Result<Limits> parse_limits(const std::vector<std::string>& words);

// A finding that exceeds its limit.
struct Exceeded {
  const char* rule;
  std::string sentence;
};
std::vector<Exceeded> exceeded(const Limits& limits, const Diagnosis& diagnosis);

}  // namespace prof::analyze
