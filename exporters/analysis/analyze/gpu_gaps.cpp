// gpu_gaps: long idle times of a GPU between the operations of a process.
#include <algorithm>

#include "exporters/analysis/analyze/catalog.hpp"
#include "exporters/analysis/analyze/gpu_activity.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/overhead.hpp"

namespace prof::analyze {

using tables::CellKind;

namespace {

// Returns the gaps of more than `shortest` ns between the `busy` intervals.
std::vector<Interval> gaps_between(std::vector<Interval> busy, std::int64_t shortest) {
  std::sort(busy.begin(), busy.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  std::vector<Interval> gaps;
  std::int64_t end = busy.front().start;
  for (const Interval& each : busy) {
    if (each.start - end > shortest) gaps.push_back({end, each.start});
    end = std::max(end, each.end);
  }
  return gaps;
}

// Adds the profiler's overhead inside `range` to the busy times, because the user cannot avoid it.
void add_overhead(std::vector<Interval>& busy, const std::vector<Interval>& overhead,
                  const Interval& range) {
  for (const Interval& each : overhead)
    if (each.start < range.end && each.end > range.start)
      busy.push_back({std::max(each.start, range.start), std::min(each.end, range.end)});
}

}  // namespace

base::Result<tables::Table> gpu_gaps(const report::ReportReader& reader,
                                     const Arguments& arguments) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  auto activity = read_gpu_activity(reader);
  if (!activity) return tl::make_unexpected(activity.error());
  auto overhead = insight::read_overhead(reader);
  if (!overhead) return tl::make_unexpected(overhead.error());
  tables::Table table;
  for (const char* header : {"Duration (ns)", "Start (ns)", "PID", "Device ID", "Context ID"})
    table.columns.push_back({header, CellKind::kInteger});
  for (auto& [key, device] : *activity) {
    const auto& [process, number] = key;
    std::vector<Interval> busy = std::move(device.operations);
    add_overhead(busy, (*overhead)[events::process_of(process)], device.range);
    for (const Interval& gap : gaps_between(std::move(busy), arguments.gap * kMillisecond))
      table.rows.push_back(
          {gap.end - gap.start, gap.start, events::pid_of(process), number, device.context});
  }
  sort_longest_first(table);
  number_rows(table);
  return table;
}

}  // namespace prof::analyze
