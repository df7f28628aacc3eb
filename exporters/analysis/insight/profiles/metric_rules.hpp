// Rules about kernels that read metrics: which part of a kernel's time could go, and why.
//
// The estimates are Nsight Compute's; a test compares them. An estimate is an upper limit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exporters/analysis/insight/occupancy/kernel_rule.hpp"
#include "exporters/analysis/insight/occupancy/occupancy.hpp"
#include "exporters/analysis/insight/profiles/metric_values.hpp"

namespace prof::insight {

struct RuleResult {
  KernelRule rule;
  // The part that could go at most: 0 to 1. 0: the rule has no estimate.
  double part = 0;
  // The part refers to the work of one unit, not to the kernel's time.
  bool is_local = false;
  std::string reason;  // with the numbers that led to it
};

// The source lines that rules are about, with their numbers; empty: not known.
struct SourceHints {
  std::string uncoalesced{};
  std::string bank_conflicts{};
  std::string idle_threads{};
};

struct ProfiledKernel {
  std::string_view name;  // demangled; empty: unknown
  const LaunchShape& shape;
  const GpuLimits& gpu;
  const MetricValues& metrics;
  const SourceHints* hints = nullptr;  // null: none
};

// Returns all rules that apply, grouped by subject as Nsight Compute does. A rule is left out if
// its metrics were not measured.
std::vector<RuleResult> metric_rules(const ProfiledKernel& kernel);

// Returns one rule for each cause, the largest part first: rules about the kernel's time if there
// are any, else those about one unit. Without metrics these are the rules about the launch.
std::vector<RuleResult> main_rules(const ProfiledKernel& kernel);

// Says what to do next about a rule.
const char* next_step_text(KernelRule rule);

}  // namespace prof::insight
