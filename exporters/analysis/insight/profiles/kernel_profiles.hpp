// Reads what prof kernel measured: the metrics of launches.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/insight/occupancy/kernel_launches.hpp"
#include "exporters/analysis/insight/profiles/metric_values.hpp"

namespace prof::insight {

inline constexpr const char* kProfileTable = "PROF_KERNEL_PROFILES";
inline constexpr const char* kPassTable = "PROF_KERNEL_PASSES";
inline constexpr const char* kMetricTable = "PROF_KERNEL_METRICS";
inline constexpr const char* kMetricNameTable = "PROF_METRIC_NAMES";

struct MetricName {
  std::string name;
  std::string unit;
};

struct ProfiledLaunch {
  std::int64_t id;  // PROF_KERNEL_PROFILES.id
  LaunchConfiguration configuration;
  std::int64_t context;
  std::int64_t stream;
  std::int64_t duration;         // ns
  std::int64_t shared_capacity;  // bytes; 0: not recorded
  std::int64_t static_shared;    // bytes in a block
  // Indices into KernelProfiles::names, and values, sorted.
  std::vector<std::pair<std::size_t, double>> metrics;
};

struct KernelProfiles {
  std::vector<MetricName> names;         // sorted by name
  std::vector<ProfiledLaunch> launches;  // sorted by id
};

// Reads the launches that have metrics and that the views show. A report without profiles has none.
base::Result<KernelProfiles> read_kernel_profiles(const report::ReportReader& reader,
                                                  const events::KernelNames& names);

// Returns the metrics of one launch.
MetricValues metrics_of(const KernelProfiles& profiles, const ProfiledLaunch& launch);

// Reads the metrics of the profile that a launch is, or has made a pass of; empty if it was not
// profiled.
base::Result<MetricValues> read_launch_metrics(const report::ReportReader& reader,
                                               std::int64_t global_pid, std::int64_t correlation);

using MetricsByConfiguration =
    std::unordered_map<LaunchConfiguration, MetricValues, LaunchConfiguration::Hash>;

// Puts launches with the same configuration together: each metric has the median of the launches
// that measured it.
MetricsByConfiguration merged(const KernelProfiles& profiles);

}  // namespace prof::insight
