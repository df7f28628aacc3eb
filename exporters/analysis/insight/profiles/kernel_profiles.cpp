#include "exporters/analysis/insight/profiles/kernel_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::insight {

namespace {

// A launch: process and correlation id.
using LaunchKey = std::pair<std::int64_t, std::int64_t>;

using MetricsByProfile =
    std::unordered_map<std::int64_t, std::vector<std::pair<std::size_t, double>>>;

// Reads names, sorted, and returns the index of each id.
base::Result<std::unordered_map<std::int64_t, std::size_t>> read_names(
    const report::ReportReader& reader, std::vector<MetricName>& names) {
  std::unordered_map<std::int64_t, std::size_t> indices;
  const base::Status read = events::for_each_row(
      reader, "SELECT metricId, name, unit FROM PROF_METRIC_NAMES ORDER BY name, metricId",
      [&](const report::Statement& row) {
        // The same metric of two chips has two ids.
        if (names.empty() || names.back().name != row.text(1))
          names.push_back({std::string(row.text(1)), std::string(row.text(2))});
        indices.emplace(row.integer(0), names.size() - 1);
      });
  if (!read) return tl::make_unexpected(read.error());
  return indices;
}

base::Result<MetricsByProfile> read_metrics(
    const report::ReportReader& reader,
    const std::unordered_map<std::int64_t, std::size_t>& indices) {
  MetricsByProfile metrics;
  const base::Status read =
      events::for_each_row(reader, "SELECT profileId, metricId, value FROM PROF_KERNEL_METRICS",
                           [&](const report::Statement& row) {
                             const auto index = indices.find(row.integer(1));
                             if (index != indices.end() && std::isfinite(row.real(2)))
                               metrics[row.integer(0)].emplace_back(index->second, row.real(2));
                           });
  if (!read) return tl::make_unexpected(read.error());
  for (auto& [profile, values] : metrics) std::sort(values.begin(), values.end());
  return metrics;
}

base::Result<std::map<LaunchKey, std::int64_t>> read_profile_ids(
    const report::ReportReader& reader) {
  std::map<LaunchKey, std::int64_t> ids;
  const base::Status read =
      events::for_each_row(reader, "SELECT id, globalPid, correlationId FROM PROF_KERNEL_PROFILES",
                           [&](const report::Statement& row) {
                             ids.emplace(LaunchKey(row.integer(1), row.integer(2)), row.integer(0));
                           });
  if (!read) return tl::make_unexpected(read.error());
  return ids;
}

// Fills in the launches of the table of kernels that have metrics.
base::Status read_launches(const report::ReportReader& reader, const events::KernelNames& names,
                           MetricsByProfile metrics, std::vector<ProfiledLaunch>& launches) {
  const auto ids = read_profile_ids(reader);
  if (!ids) return tl::make_unexpected(ids.error());
  report::ScanColumns columns = configuration_columns(names);
  columns.insert(columns.end(),
                 {"contextId", "streamId", "sharedMemoryExecuted", "staticSharedMemory"});
  return events::for_each_event(
      reader, {events::kKernelTable, columns},
      [&](const events::Times& times, const report::Row& row) {
        constexpr int kContext = kConfigurationColumns;
        const auto id = ids->find(LaunchKey(row.integer(0), row.integer(2)));
        if (id == ids->end()) return;
        const auto values = metrics.find(id->second);
        if (values == metrics.end()) return;
        launches.push_back({id->second, configuration_at(row, names), row.integer(kContext),
                            row.integer(kContext + 1), times.duration(),
                            row.integer_or(kContext + 2, 0), row.integer_or(kContext + 3, 0),
                            std::move(values->second)});
        metrics.erase(values);
      });
}

}  // namespace

MetricValue metric_value_of(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back(), static_cast<std::int64_t>(values.size())};
}

base::Result<KernelProfiles> read_kernel_profiles(const report::ReportReader& reader,
                                                  const events::KernelNames& names) {
  KernelProfiles profiles;
  for (const char* table : {kProfileTable, kMetricTable, kMetricNameTable, events::kKernelTable})
    if (!reader.has_table(table)) return profiles;
  const auto indices = read_names(reader, profiles.names);
  if (!indices) return tl::make_unexpected(indices.error());
  auto metrics = read_metrics(reader, *indices);
  if (!metrics) return tl::make_unexpected(metrics.error());
  const base::Status read = read_launches(reader, names, std::move(*metrics), profiles.launches);
  if (!read) return tl::make_unexpected(read.error());
  std::sort(profiles.launches.begin(), profiles.launches.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return profiles;
}

MetricValues metrics_of(const KernelProfiles& profiles, const ProfiledLaunch& launch) {
  MetricValues::ByName values;
  for (const auto& [index, value] : launch.metrics)
    values.insert_or_assign(profiles.names[index].name, MetricValue{value, value, value, 1});
  return MetricValues(std::move(values));
}

base::Result<MetricValues> read_launch_metrics(const report::ReportReader& reader,
                                               std::int64_t global_pid, std::int64_t correlation) {
  MetricValues::ByName values;
  for (const char* table : {kProfileTable, kMetricTable, kMetricNameTable})
    if (!reader.has_table(table)) return MetricValues();
  const base::Status read = events::for_each_row(
      reader,
      fmt::format("SELECT n.name, m.value FROM PROF_KERNEL_PROFILES AS p "
                  "JOIN PROF_KERNEL_METRICS AS m ON m.profileId = p.id "
                  "JOIN PROF_METRIC_NAMES AS n ON n.metricId = m.metricId "
                  "WHERE p.globalPid = {0} AND (p.correlationId = {1}{2})",
                  global_pid, correlation,
                  reader.has_table(kPassTable)
                      ? fmt::format(" OR p.id IN (SELECT profileId FROM PROF_KERNEL_PASSES WHERE "
                                    "correlationId = {})",
                                    correlation)
                      : ""),
      [&](const report::Statement& row) {
        const double value = row.real(1);
        if (std::isfinite(value))
          values.insert_or_assign(std::string(row.text(0)), MetricValue{value, value, value, 1});
      });
  if (!read) return tl::make_unexpected(read.error());
  return MetricValues(std::move(values));
}

MetricsByConfiguration merged(const KernelProfiles& profiles) {
  std::unordered_map<LaunchConfiguration, std::map<std::size_t, std::vector<double>>,
                     LaunchConfiguration::Hash>
      groups;
  for (const ProfiledLaunch& each : profiles.launches) {
    auto& group = groups[each.configuration];
    for (const auto& [index, value] : each.metrics) group[index].push_back(value);
  }
  MetricsByConfiguration result;
  for (auto& [configuration, group] : groups) {
    MetricValues::ByName values;
    for (auto& [index, all] : group)
      values.emplace(profiles.names[index].name, metric_value_of(all));
    result.emplace(configuration, MetricValues(std::move(values)));
  }
  return result;
}

}  // namespace prof::insight
