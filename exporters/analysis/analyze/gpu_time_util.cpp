// gpu_time_util: times in which a GPU is busy for a small share of the time.
#include <algorithm>

#include "exporters/analysis/analyze/catalog.hpp"
#include "exporters/analysis/analyze/gpu_activity.hpp"
#include "exporters/analysis/events/global_ids.hpp"

namespace prof::analyze {

using tables::CellKind;

namespace {

// A part of the time, and how long the GPU was in use in it. Overlapping operations add up.
struct Use {
  Interval time;
  std::int64_t used;  // ns

  double percent() const {
    return 100.0 * static_cast<double>(used) / static_cast<double>(time.end - time.start);
  }
};

// Divides the range into parts of this length. The last part may be shorter.
std::vector<Use> divide(const Interval& range, std::int64_t length) {
  std::vector<Use> chunks;
  for (std::int64_t start = range.start; start < range.end; start += length)
    chunks.push_back({{start, std::min(start + length, range.end)}, 0});
  return chunks;
}

// Divides the device's range into `count` parts and computes the use of each.
std::vector<Use> use_of(const DeviceActivity& device, std::int64_t count) {
  const Interval& range = device.range;
  const std::int64_t length =
      std::max<std::int64_t>(1, (range.end - range.start + count - 1) / count);
  std::vector<Use> chunks = divide(range, length);
  for (const Interval& operation : device.operations) {
    auto at = static_cast<std::size_t>((operation.start - range.start) / length);
    for (; at < chunks.size() && chunks[at].time.start < operation.end; ++at)
      chunks[at].used += std::min(operation.end, chunks[at].time.end) -
                         std::max(operation.start, chunks[at].time.start);
  }
  return chunks;
}

// Returns the parts below the threshold. Adjacent parts are joined.
std::vector<Use> low_use(const std::vector<Use>& chunks, std::int64_t threshold) {
  std::vector<Use> low;
  for (const Use& chunk : chunks) {
    if (chunk.percent() >= static_cast<double>(threshold)) continue;
    if (!low.empty() && low.back().time.end == chunk.time.start) {
      low.back().time.end = chunk.time.end;
      low.back().used += chunk.used;
    } else {
      low.push_back(chunk);
    }
  }
  return low;
}

// Sorts by use, lowest first, then by duration, longest first.
void sort_least_used_first(tables::Table& table) {
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    const double difference = std::get<double>(a[0]) - std::get<double>(b[0]);
    return difference != 0 ? difference < 0
                           : std::get<std::int64_t>(a[1]) > std::get<std::int64_t>(b[1]);
  });
}

}  // namespace

base::Result<tables::Table> gpu_time_util(const report::ReportReader& reader,
                                          const Arguments& arguments) {
  const auto activity = read_gpu_activity(reader);
  if (!activity) return tl::make_unexpected(activity.error());
  tables::Table table{{{"In-Use (%)", CellKind::kReal, 1}}, {}};
  for (const char* header : {"Duration (ns)", "Start (ns)", "PID", "Device ID", "Context ID"})
    table.columns.push_back({header, CellKind::kInteger});
  for (const auto& [key, device] : *activity)
    for (const Use& low : low_use(use_of(device, arguments.chunks), arguments.threshold))
      table.rows.push_back({low.percent(), low.time.end - low.time.start, low.time.start,
                            events::pid_of(key.first), key.second, device.context});
  sort_least_used_first(table);
  number_rows(table);
  return table;
}

}  // namespace prof::analyze
