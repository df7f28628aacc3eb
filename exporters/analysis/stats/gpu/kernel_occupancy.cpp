// kernel_occupancy: how well kernels fill the GPU, by name and launch configuration.
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/gpu/kernel_groups.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

void add_occupancy(std::vector<tables::Cell>& cells, const insight::KernelLaunches& launches) {
  const insight::Occupancy occupancy = insight::occupancy_of(launches.shape, launches.gpu);
  if (occupancy.blocks_per_multiprocessor == 0) {
    cells.resize(cells.size() + 6);
  } else {
    cells.insert(cells.end(),
                 {occupancy.percent, occupancy.reachable_percent, insight::limiter_text(occupancy),
                  occupancy.blocks_per_multiprocessor, occupancy.waves, occupancy.tail_percent});
  }
  cells.push_back(launches.gpu.multiprocessors == 0
                      ? tables::Cell{}
                      : tables::Cell{std::int64_t{launches.gpu.multiprocessors}});
}

std::vector<tables::ColumnSpec> occupancy_columns() {
  return {{"Time (%)", CellKind::kReal, 1},
          {"Total Time (ns)", CellKind::kInteger},
          {"Instances", CellKind::kInteger},
          {"Occupancy (%)", CellKind::kReal, 1},
          {"Reachable (%)", CellKind::kReal, 1},
          {"Limiter", CellKind::kText},
          {"Blocks/SM", CellKind::kInteger},
          {"Waves", CellKind::kReal, 2},
          {"Tail (%)", CellKind::kReal, 1},
          {"SMs", CellKind::kInteger},
          {"GridXYZ", CellKind::kText},
          {"BlockXYZ", CellKind::kText},
          {"Registers", CellKind::kInteger},
          {"Shared Memory (bytes)", CellKind::kInteger},
          {"PID", CellKind::kInteger},
          {"Device", CellKind::kInteger},
          {"Name", CellKind::kText}};
}

}  // namespace

base::Result<tables::Table> kernel_occupancy(const report::ReportReader& reader,
                                             const Arguments& arguments) {
  const auto groups = read_kernel_groups(reader, arguments);
  if (!groups) return tl::make_unexpected(groups.error());
  tables::Table table{occupancy_columns(), {}};
  for (const KernelGroup& group : groups->groups) {
    const insight::KernelLaunches& each = group.launches;
    std::vector<tables::Cell> cells{tables::percent(each.total, groups->total), each.total,
                                    each.instances};
    add_occupancy(cells, each);
    const insight::LaunchConfiguration& launch = each.configuration;
    cells.insert(cells.end(),
                 {events::dimensions_text(launch.grid), events::dimensions_text(launch.block),
                  launch.registers, launch.shared_memory, events::pid_of(launch.global_pid),
                  launch.device, group.name});
    table.rows.push_back(std::move(cells));
  }
  tables::sort_descending(table, 1);
  return table;
}

}  // namespace prof::stats
