// The groups of metric_rules(), and what they share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exporters/analysis/insight/profiles/metric_rules.hpp"

namespace prof::insight {

using RuleResults = std::vector<RuleResult>;

// Appends what is known about source lines to a reason.
inline std::string with_hint(std::string reason, const ProfiledKernel& kernel,
                             std::string SourceHints::*hint) {
  if (kernel.hints != nullptr && !(kernel.hints->*hint).empty())
    reason += "; " + kernel.hints->*hint;
  return reason;
}

// How much faster a kernel could be if its schedulers always issued an instruction.
// Empty: they are busy, or it was not measured.
std::optional<double> issue_estimate(const MetricValues& metrics);

void add_scheduler_rules(const ProfiledKernel& kernel, RuleResults& results);
void add_occupancy_rules(const ProfiledKernel& kernel, RuleResults& results);
void add_balance_rules(const ProfiledKernel& kernel, RuleResults& results);
void add_access_rules(const ProfiledKernel& kernel, RuleResults& results);
void add_compression_rules(const ProfiledKernel& kernel, RuleResults& results);
void add_pipe_rules(const ProfiledKernel& kernel, RuleResults& results);
void add_arithmetic_rules(const ProfiledKernel& kernel, RuleResults& results);

}  // namespace prof::insight
