// nccl_sum: communication between GPUs, and its overlap with computation.
#include <map>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

using insight::Interval;
using insight::Intervals;

// The kernels of one device.
struct Kernels {
  Intervals compute;
  std::map<std::int64_t, std::vector<Interval>> communication;  // by name
};

Kernels kernels_of(const insight::GpuWork& work, std::size_t device) {
  Kernels kernels;
  std::vector<Interval> compute;
  for (const insight::Operation& each : work.operations_of(device)) {
    if (each.kind != insight::WorkKind::kKernel) continue;
    (each.communication ? kernels.communication[each.name] : compute).push_back(each.interval());
  }
  kernels.compute = insight::merged(std::move(compute));
  return kernels;
}

std::vector<tables::Cell> cells_of(const std::vector<Interval>& times, const Intervals& compute,
                                   std::int64_t span) {
  const Intervals busy = insight::merged(times);
  const std::int64_t time = insight::total(busy);
  const std::int64_t hidden = insight::total(insight::intersection(busy, compute));
  std::vector<std::int64_t> durations;
  durations.reserve(times.size());
  for (const Interval& each : times) durations.push_back(each.length());
  const Durations each = summarise(durations);
  return {time - hidden,
          hidden,
          tables::percent(hidden, time),
          time,
          tables::percent(time, span),
          each.count,
          each.average,
          each.median,
          each.minimum,
          each.maximum};
}

std::vector<tables::ColumnSpec> nccl_columns() {
  return {{"Exposed (ns)", CellKind::kInteger},
          {"Overlapped (ns)", CellKind::kInteger},
          {"Overlapped (%)", CellKind::kReal, 1},
          {"Time (ns)", CellKind::kInteger},
          {"Span (%)", CellKind::kReal, 1},
          {"Count", CellKind::kInteger},
          {"Avg (ns)", CellKind::kReal, 1},
          {"Med (ns)", CellKind::kReal, 1},
          {"Min (ns)", CellKind::kInteger},
          {"Max (ns)", CellKind::kInteger},
          {"PID", CellKind::kInteger},
          {"Device", CellKind::kInteger},
          {"Name", CellKind::kText}};
}

}  // namespace

base::Result<tables::Table> nccl_sum(const report::ReportReader& reader, const Arguments&) {
  const auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  tables::Table table{nccl_columns(), {}};
  for (std::size_t i = 0; i < work->devices().size(); ++i) {
    const insight::Device& device = work->devices()[i];
    const Kernels kernels = kernels_of(*work, i);
    for (const auto& [name, times] : kernels.communication) {
      auto cells = cells_of(times, kernels.compute, work->span(i).length());
      cells.insert(cells.end(),
                   {events::pid_of(device.global_pid), device.number, work->kernel_name(name)});
      table.rows.push_back(std::move(cells));
    }
  }
  tables::sort_descending(table, 0);
  return table;
}

}  // namespace prof::stats
