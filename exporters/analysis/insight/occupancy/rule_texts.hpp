// Names and explains the rules about launches.
#pragma once

#include <string>

#include "exporters/analysis/insight/occupancy/kernel_rule.hpp"
#include "exporters/analysis/insight/occupancy/occupancy.hpp"

namespace prof::insight {

// The name of the finding with the same subject.
const char* rule_name(KernelRule rule);

// Says why a rule applies to a launch: "1 block for 132 multiprocessors". For a rule of
// launch_rules() only.
std::string reason_text(KernelRule rule, const LaunchShape& launch, const GpuLimits& gpu);

}  // namespace prof::insight
