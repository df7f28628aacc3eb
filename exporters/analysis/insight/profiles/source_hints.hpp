// Which source lines rules about profiled kernels mean, where SASS metrics were counted.
#pragma once

#include <unordered_map>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/occupancy/kernel_launches.hpp"
#include "exporters/analysis/insight/profiles/kernel_profiles.hpp"
#include "exporters/analysis/insight/profiles/metric_rules.hpp"

namespace prof::insight {

using HintsByConfiguration =
    std::unordered_map<LaunchConfiguration, SourceHints, LaunchConfiguration::Hash>;

// Launches with the same configuration are taken together. Empty without SASS metrics.
base::Result<HintsByConfiguration> read_source_hints(const report::ReportReader& reader,
                                                     const KernelProfiles& profiles);

}  // namespace prof::insight
