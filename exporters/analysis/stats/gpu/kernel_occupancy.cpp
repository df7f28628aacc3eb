// kernel_occupancy: how well kernels fill the GPU, by name and launch configuration.
#include <fmt/format.h>

#include <unordered_map>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/gpu_limits.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

struct Shape {
  std::int64_t global_pid;
  std::int64_t device;
  events::KernelKey kernel;
  events::Dimensions grid;
  events::Dimensions block;
  std::int64_t registers;                          // per thread
  std::int64_t shared_memory;                      // per block, bytes
  std::int64_t green_context;                      // 0: none
  auto operator<=>(const Shape&) const = default;  // NOLINT(modernize-use-nullptr)

  insight::LaunchShape shape() const {
    const auto volume = [](const events::Dimensions& of) {
      return events::product(events::product(of[0], of[1]), of[2]);
    };
    return {volume(grid), volume(block), registers, shared_memory};
  }
};

struct HashShape {
  std::size_t operator()(const Shape& key) const {
    std::size_t hash = 0;
    for (const std::int64_t value :
         {key.global_pid, key.device, key.kernel.name, std::int64_t{key.kernel.range},
          key.registers, key.shared_memory, std::int64_t{key.grid[0]}, std::int64_t{key.grid[1]},
          std::int64_t{key.grid[2]}, std::int64_t{key.block[0]}, std::int64_t{key.block[1]},
          std::int64_t{key.block[2]}, key.green_context})
      hash = hash * 0x100000001b3 + static_cast<std::size_t>(value);
    return hash;
  }
};

struct ShapeLaunches {
  std::int64_t total = 0;  // ns
  std::int64_t instances = 0;
};
using LaunchesByKey = std::unordered_map<Shape, ShapeLaunches, HashShape>;

base::Result<LaunchesByKey> read_launches(const report::ReportReader& reader,
                                          const events::KernelNames& names) {
  LaunchesByKey groups;
  const base::Status read = events::for_each_event(
      reader,
      {events::kKernelTable,
       {"globalPid", "deviceId", "correlationId", names.column(), "gridX", "gridY", "gridZ",
        "blockX", "blockY", "blockZ", "registersPerThread",
        report::ScanColumn::expression("staticSharedMemory + dynamicSharedMemory"),
        report::ScanColumn::expression("IFNULL(greenContextId, 0)")}},
      [&](const events::Times& times, const report::Row& row) {
        const std::int64_t name = row.integer_or(3, events::Strings::kNone);
        const Shape key{row.integer(0),
                        row.integer(1),
                        names.key({name, row.integer(0), row.integer(2)}),
                        events::dimensions_at(row, 4),
                        events::dimensions_at(row, 7),
                        row.integer(10),
                        row.integer(11),
                        row.integer(12)};
        ShapeLaunches& launches = groups[key];
        launches.total = events::sum(launches.total, times.duration());
        ++launches.instances;
      });
  if (!read) return tl::make_unexpected(read.error());
  return groups;
}

void add_occupancy(std::vector<tables::Cell>& cells, const Shape& key,
                   const insight::GpuLimits& gpu) {
  const insight::Occupancy occupancy = insight::occupancy_of(key.shape(), gpu);
  if (occupancy.blocks_per_multiprocessor == 0) {
    cells.resize(cells.size() + 5);
  } else {
    cells.insert(cells.end(),
                 {occupancy.percent, insight::limiter_name(occupancy.limiter),
                  occupancy.blocks_per_multiprocessor, occupancy.waves, occupancy.tail_percent});
  }
  cells.push_back(gpu.multiprocessors == 0 ? tables::Cell{}
                                           : tables::Cell{std::int64_t{gpu.multiprocessors}});
}

std::vector<tables::ColumnSpec> occupancy_columns() {
  return {{"Time (%)", CellKind::kReal, 1},
          {"Total Time (ns)", CellKind::kInteger},
          {"Instances", CellKind::kInteger},
          {"Occupancy (%)", CellKind::kReal, 1},
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
  const auto gpus = insight::GpuLimitsTable::read(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  const auto groups = read_launches(reader, *names);
  if (!groups) return tl::make_unexpected(groups.error());
  std::int64_t total = 0;
  for (const auto& [key, launches] : *groups) total = events::sum(total, launches.total);
  std::vector<std::pair<Shape, ShapeLaunches>> sorted(groups->begin(), groups->end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  tables::Table table{occupancy_columns(), {}};
  for (const auto& [key, launches] : sorted) {
    const std::int64_t pid = events::pid_of(key.global_pid);
    std::vector<tables::Cell> cells{tables::percent(launches.total, total), launches.total,
                                    launches.instances};
    add_occupancy(cells, key, gpus->of(pid, key.device, key.green_context));
    cells.insert(cells.end(),
                 {events::dimensions_text(key.grid), events::dimensions_text(key.block),
                  key.registers, key.shared_memory, pid, key.device, names->text(key.kernel)});
    table.rows.push_back(std::move(cells));
  }
  tables::sort_descending(table, 1);
  return table;
}

}  // namespace prof::stats
