// gpu_time_breakdown: how each device spent its time, from its first operation to its last one, or
// in the time that a filter selects.
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/breakdown.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

namespace {

struct BreakdownCounts {
  std::int64_t compute = 0;
  std::int64_t communication = 0;
  std::int64_t copies = 0;
};

BreakdownCounts count(const insight::GpuWork& work, std::size_t device) {
  BreakdownCounts result;
  for (const insight::Operation& each : work.operations_of(device)) {
    const bool is_kernel =
        each.kind == insight::WorkKind::kKernel || each.kind == insight::WorkKind::kGraph;
    ++(!is_kernel ? result.copies : each.communication ? result.communication : result.compute);
  }
  return result;
}

}  // namespace

base::Result<tables::Table> gpu_time_breakdown(const report::ReportReader& reader,
                                               const Arguments&) {
  const auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  tables::Table table{{{"Time (%)", tables::CellKind::kReal, 1},
                       {"Time (ns)", tables::CellKind::kInteger},
                       {"Operations", tables::CellKind::kInteger},
                       {"PID", tables::CellKind::kInteger},
                       {"Device", tables::CellKind::kInteger},
                       {"Category", tables::CellKind::kText}},
                      {}};
  for (std::size_t i = 0; i < work->devices().size(); ++i) {
    const insight::Breakdown times = breakdown(insight::activity(*work, i, reader.filter()));
    const BreakdownCounts counts = count(*work, i);
    const insight::Device& device = work->devices()[i];
    const auto add = [&](const char* category, std::int64_t time, tables::Cell operations) {
      table.rows.push_back({tables::percent(time, times.span), time, std::move(operations),
                            events::pid_of(device.global_pid), device.number, category});
    };
    // The first four times add up to the device's time. They already include the hidden times.
    add("Compute", times.compute, counts.compute);
    add("Communication, exposed", times.exposed_communication, counts.communication);
    add("Copies and fills, exposed", times.exposed_copies, counts.copies);
    add("Idle", times.idle, {});
    add("Communication, hidden by compute", times.hidden_communication, {});
    add("Copies and fills, hidden", times.hidden_copies, {});
  }
  return table;
}

}  // namespace prof::stats
