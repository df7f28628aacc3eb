// kernel_roofline: what profiled kernels compute and move, compared with what the GPU could do.
#include "exporters/analysis/insight/profiles/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/gpu/kernel_groups.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

tables::Cell cell_of(std::optional<double> value, double factor = 1) {
  return value ? tables::Cell{factor * *value} : tables::Cell{};
}

std::vector<tables::ColumnSpec> roofline_columns() {
  std::vector<tables::ColumnSpec> columns{{"Time (%)", CellKind::kReal, 1},
                                          {"Precision", CellKind::kText},
                                          {"GFLOP/s", CellKind::kReal, 1},
                                          {"Peak GFLOP/s", CellKind::kReal, 1},
                                          {"Of Peak (%)", CellKind::kReal, 1},
                                          {"Of Roof (%)", CellKind::kReal, 1},
                                          {"Roof", CellKind::kText}};
  for (const char* level : {"DRAM", "L2", "L1"}) {
    columns.push_back({std::string(level) + " GB/s", CellKind::kReal, 1});
    columns.push_back({std::string(level) + " Peak GB/s", CellKind::kReal, 1});
    columns.push_back({std::string(level) + " FLOP/byte", CellKind::kReal, 3});
  }
  add_launch_columns(columns);
  return columns;
}

// The lowest roof above a kernel: of its arithmetic, or of a level of memory.
struct Roof {
  double rate;
  const char* name;
};
Roof lowest_roof(const insight::Roofline& roofline, const insight::ComputeRoof& compute) {
  Roof lowest{compute.peak > 0 ? compute.peak : INFINITY, compute.peak > 0 ? "compute" : ""};
  for (const insight::MemoryRoof& each : roofline.memory) {
    const auto rate = insight::attainable(compute, each);
    if (rate && *rate < lowest.rate) lowest = {*rate, each.level};
  }
  return lowest;
}

std::vector<tables::Cell> roofline_cells(const insight::Roofline& roofline,
                                         const insight::ComputeRoof& compute) {
  constexpr double kGiga = 1e-9;
  const bool computes = compute.achieved > 0;
  const Roof roof = lowest_roof(roofline, compute);
  std::vector<tables::Cell> cells{
      compute.precision,
      kGiga * compute.achieved,
      kGiga * compute.peak,
      compute.peak > 0 ? tables::Cell{100 * compute.achieved / compute.peak} : tables::Cell{},
      computes && std::isfinite(roof.rate) ? tables::Cell{100 * compute.achieved / roof.rate}
                                           : tables::Cell{},
      computes ? tables::Cell{roof.name} : tables::Cell{}};
  for (const std::string_view level : {"DRAM", "L2", "L1"}) {
    const auto memory =
        std::find_if(roofline.memory.begin(), roofline.memory.end(),
                     [&](const insight::MemoryRoof& each) { return each.level == level; });
    if (memory == roofline.memory.end()) {
      cells.resize(cells.size() + 3);
      continue;
    }
    cells.insert(cells.end(),
                 {kGiga * memory->achieved, cell_of(memory->peak, kGiga),
                  computes ? cell_of(insight::intensity(compute, *memory)) : tables::Cell{}});
  }
  return cells;
}

// A few instructions of another precision are no reason for a row. A kernel without floating-point
// operations has one row, which shows its traffic.
std::vector<insight::ComputeRoof> shown_roofs(const insight::Roofline& roofline) {
  constexpr double kMinPart = 0.01;
  double most = 0;
  for (const insight::ComputeRoof& each : roofline.compute) most = std::max(most, each.achieved);
  std::vector<insight::ComputeRoof> roofs;
  for (const insight::ComputeRoof& each : roofline.compute)
    if (each.achieved > 0 && each.achieved >= kMinPart * most) roofs.push_back(each);
  if (roofs.empty() && !roofline.memory.empty()) roofs.push_back({"none", 0, 0});
  return roofs;
}

}  // namespace

base::Result<tables::Table> kernel_roofline(const report::ReportReader& reader,
                                            const Arguments& arguments) {
  auto groups = read_kernel_groups(reader, arguments);
  if (!groups) return tl::make_unexpected(groups.error());
  std::stable_sort(groups->groups.begin(), groups->groups.end(), [](const auto& a, const auto& b) {
    return a.launches.total > b.launches.total;
  });
  tables::Table table{roofline_columns(), {}};
  for (const KernelGroup& group : groups->groups) {
    const insight::Roofline roofline = insight::roofline_of(group.metrics);
    for (const insight::ComputeRoof& compute : shown_roofs(roofline)) {
      std::vector<tables::Cell> cells{tables::percent(group.launches.total, groups->total)};
      const std::vector<tables::Cell> values = roofline_cells(roofline, compute);
      cells.insert(cells.end(), values.begin(), values.end());
      add_launch_cells(cells, group);
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

}  // namespace prof::stats
