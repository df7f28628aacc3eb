// iteration_sum: the length of a program's iterations, and what takes more time in the longest one.
#include <algorithm>
#include <map>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/breakdown.hpp"
#include "exporters/analysis/insight/iterations.hpp"
#include "exporters/analysis/insight/report_activity.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

using insight::GpuWork;
using insight::IdleTime;
using insight::Interval;
using insight::Operation;

std::vector<tables::ColumnSpec> iteration_columns() {
  std::vector<tables::ColumnSpec> result{{"Iterations", CellKind::kInteger}};
  for (const char* header : {"Avg (ns)", "Med (ns)", "P95 (ns)"})
    result.push_back({header, CellKind::kReal, 1});
  for (const char* header : {"Min (ns)", "Max (ns)"})
    result.push_back({header, CellKind::kInteger});
  result.push_back({"StdDev (ns)", CellKind::kReal, 1});
  result.push_back({"GPU Busy, Med (%)", CellKind::kReal, 1});
  result.push_back({"GPU Busy, Max (%)", CellKind::kReal, 1});
  for (const char* header : {"Max #", "Max Start (ns)", "Added (ns)", "PID", "Device"})
    result.push_back({header, CellKind::kInteger});
  for (const char* header : {"Most Added in Max", "Found By"})
    result.push_back({header, CellKind::kText});
  return result;
}

// Returns how the device spent a period of time: ns by name of the operation or by cause of
// idleness.
std::map<std::string, std::int64_t> uses(const GpuWork& work, const std::vector<IdleTime>& idle,
                                         std::size_t device, const Interval& time) {
  std::map<std::string, std::int64_t> result;
  const auto add = [&](const std::string& name, const Interval& each) {
    const std::int64_t shared = std::min(each.end, time.end) - std::max(each.start, time.start);
    if (shared > 0) result[name] += shared;
  };
  for (const Operation& each : work.operations_of(device))
    if (each.start < time.end && each.end > time.start) add(work.name_of(each), each.interval());
  for (const IdleTime& each : idle)
    if (each.device == device) add(std::string("idle, ") + name_of(each.cause), each.time);
  return result;
}

struct Added {
  std::string name;
  std::int64_t time = 0;  // ns
};

// Returns the operation or cause of idleness that takes the most additional time in `longer`.
Added most_added(const GpuWork& work, const std::vector<IdleTime>& idle, std::size_t device,
                 const Interval& median, const Interval& longer) {
  const auto before = uses(work, idle, device, median);
  Added most;
  for (const auto& [name, time] : uses(work, idle, device, longer)) {
    const auto at = before.find(name);
    const std::int64_t added = time - (at == before.end() ? 0 : at->second);
    if (added > most.time) most = {name, added};
  }
  return most;
}

double busy_percent(const insight::Intervals& busy, const Interval& time) {
  return 100.0 * static_cast<double>(covered(busy, time.start, time.end)) /
         static_cast<double>(time.length());
}

std::vector<tables::Cell> row(const GpuWork& work, const std::vector<IdleTime>& idle,
                              const insight::Iterations& iterations) {
  std::vector<Interval> by_length = iterations.times;
  std::stable_sort(by_length.begin(), by_length.end(),
                   [](const Interval& a, const Interval& b) { return a.length() < b.length(); });
  const Interval median = by_length[(by_length.size() - 1) / 2];
  const auto longest = std::max_element(
      iterations.times.begin(), iterations.times.end(),
      [](const Interval& a, const Interval& b) { return a.length() < b.length(); });
  std::vector<std::int64_t> lengths;
  lengths.reserve(by_length.size());
  for (const Interval& each : by_length) lengths.push_back(each.length());
  const double p95 = quantile(lengths, 0.95);
  const Durations durations = summarise(lengths);
  const insight::Activity activity = insight::activity(work, iterations.device);
  const Added added = most_added(work, idle, iterations.device, median, *longest);
  const insight::Device& device = work.devices()[iterations.device];
  return {durations.count,
          durations.average,
          durations.median,
          p95,
          durations.minimum,
          durations.maximum,
          durations.deviation,
          busy_percent(activity.busy, median),
          busy_percent(activity.busy, *longest),
          static_cast<std::int64_t>(longest - iterations.times.begin()),
          longest->start,
          added.time,
          events::pid_of(device.global_pid),
          device.number,
          added.name,
          iterations.found_by};
}

}  // namespace

base::Result<tables::Table> iteration_sum(const report::ReportReader& reader,
                                          const Arguments& arguments) {
  const auto timeline = insight::ReportActivity::read(reader);
  if (!timeline) return tl::make_unexpected(timeline.error());
  const auto& [work, calls, ranges, idle] = *timeline;
  tables::Table table{iteration_columns(), {}};
  insight::IterationFinder finder(work, ranges);
  for (std::size_t device = 0; device < work.devices().size(); ++device) {
    const auto iterations =
        arguments.range.empty() ? finder.find(device) : finder.by_range(device, arguments.range);
    if (iterations) table.rows.push_back(row(work, idle, *iterations));
  }
  return table;
}

}  // namespace prof::stats
