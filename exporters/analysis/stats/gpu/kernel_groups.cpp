#include "exporters/analysis/stats/gpu/kernel_groups.hpp"

#include <utility>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/profiles/source_hints.hpp"

namespace prof::stats {

using tables::CellKind;

base::Result<KernelGroups> read_kernel_groups(const report::ReportReader& reader,
                                              const Arguments& arguments) {
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  const auto launches = insight::read_kernel_launches(reader, *names);
  if (!launches) return tl::make_unexpected(launches.error());
  const auto profiles = insight::read_kernel_profiles(reader, *names);
  if (!profiles) return tl::make_unexpected(profiles.error());
  insight::MetricsByConfiguration metrics = insight::merged(*profiles);
  auto hints = insight::read_source_hints(reader, *profiles);
  if (!hints) return tl::make_unexpected(hints.error());
  KernelGroups result;
  result.total = insight::total_time(*launches);
  for (const insight::MetricName& each : profiles->names)
    result.units.emplace(each.name, each.unit);
  for (const insight::KernelLaunches& each : *launches) {
    const auto profile = metrics.find(each.configuration);
    result.groups.push_back(
        {names->text(each.configuration.kernel), each,
         profile == metrics.end() ? insight::MetricValues() : std::move(profile->second),
         std::move((*hints)[each.configuration])});
  }
  return result;
}

void add_launch_columns(std::vector<tables::ColumnSpec>& columns) {
  columns.insert(columns.end(), {{"GridXYZ", CellKind::kText},
                                 {"BlockXYZ", CellKind::kText},
                                 {"PID", CellKind::kInteger},
                                 {"Device", CellKind::kInteger},
                                 {"Name", CellKind::kText}});
}

void add_launch_cells(std::vector<tables::Cell>& cells, const KernelGroup& group) {
  const insight::LaunchConfiguration& launch = group.launches.configuration;
  cells.insert(cells.end(),
               {events::dimensions_text(launch.grid), events::dimensions_text(launch.block),
                events::pid_of(launch.global_pid), launch.device, group.name});
}

}  // namespace prof::stats
