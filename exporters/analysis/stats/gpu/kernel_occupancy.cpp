// kernel_occupancy: how well kernels fill the GPU, by name and launch configuration.
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/gpu/kernel_launches.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

void add_occupancy(std::vector<tables::Cell>& cells, const KernelLaunches& launches) {
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
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  const auto launches = read_kernel_launches(reader, *names);
  if (!launches) return tl::make_unexpected(launches.error());
  const std::int64_t total = total_time(*launches);
  tables::Table table{occupancy_columns(), {}};
  for (const KernelLaunches& each : *launches) {
    std::vector<tables::Cell> cells{tables::percent(each.total, total), each.total, each.instances};
    add_occupancy(cells, each);
    cells.insert(cells.end(),
                 {events::dimensions_text(each.grid), events::dimensions_text(each.block),
                  each.shape.registers, each.shape.shared_memory, each.pid, each.device,
                  names->text(each.kernel)});
    table.rows.push_back(std::move(cells));
  }
  tables::sort_descending(table, 1);
  return table;
}

}  // namespace prof::stats
