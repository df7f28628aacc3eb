// Shows the rates at which processes read and write: the bytes of a call are distributed over its
// time.
#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/viewer/timeline/derived/derived_rows.hpp"
#include "exporters/viewer/timeline/layers/file_accesses.hpp"

namespace prof::timeline {

namespace {

constexpr std::array<const char*, 4> kSeries = {"read from files", "written to files",
                                                "read from sockets and pipes",
                                                "written to sockets and pipes"};
enum EventType : std::int64_t { kRead = 1, kWrite = 2 };  // ENUM_PROF_FILE_EVENT_TYPE

// The calls of one process, by series. A change is the start or the end of a call.
struct Process {
  std::array<std::vector<Sample>, kSeries.size()>
      changes;  // changes of the rate in bytes per second
  std::uint64_t events = 0;
};

// Returns the rate at each time.
std::vector<Sample> rates(std::vector<Sample> changes) {
  std::sort(changes.begin(), changes.end(),
            [](const Sample& a, const Sample& b) { return a.time < b.time; });
  double rate = 0;
  std::int64_t open = 0;
  for (Sample& change : changes) {
    open += change.value > 0 ? 1 : -1;
    // The rate is exactly 0 when no call is open, whatever the rounding error of the sum.
    rate = open == 0 ? 0 : std::max(0.0, rate + change.value);
    change.value = rate;
  }
  return changes;
}

DerivedRow row_of(Process process, std::int64_t global_pid, std::uint32_t report) {
  DerivedRow row;
  row.events = process.events;
  row.table = events::kFileEventTable;
  row.unit = "B/s";
  std::vector<std::vector<Sample>> series;
  for (std::size_t i = 0; i < kSeries.size(); ++i) {
    if (process.changes[i].empty()) continue;
    row.series.emplace_back(kSeries[i]);
    series.push_back(rates(std::move(process.changes[i])));
  }
  row.data.counter = std::make_shared<const CounterLanes>(std::move(series));
  row.place = [global_pid, report](RowTree& tree) {
    return tree.row_below(tree.process(report, global_pid), RowKind::kBytes, RowStyle::kCounter,
                          "");
  };
  return row;
}

}  // namespace

base::Status read_file_bytes(const DerivedContext& context, std::vector<DerivedRow>& rows) {
  if (!context.reader.has_table(events::kFileTable)) return {};
  const auto files = file_accesses(context.reader);
  std::map<std::int64_t, Process> processes;
  const base::Status read = report::scan(
      context.reader,
      {events::kFileEventTable,
       {"fileAccessId", "startedAt", "endedAt", "eventType", "bytesProcessed"}},
      [&](const report::Row& row) {
        const events::Times times{row.integer_or(1, INT64_MAX), row.integer_or(2, INT64_MIN)};
        const std::int64_t type = row.integer(3);
        const double bytes = row.real(4);
        const auto file = files.find(row.integer(0));
        // Rows with impossible times are counted by the layer that shows them as events.
        if (!times.is_valid() || file == files.end() || bytes <= 0 ||
            (type != kRead && type != kWrite))
          return;
        Process& process = processes[file->second.global_pid];
        const std::int64_t end = std::max(times.end, times.start + 1);
        const double rate = bytes * 1e9 / static_cast<double>(end - times.start);
        auto& changes =
            process.changes[(file->second.is_socket ? 2U : 0U) + (type == kWrite ? 1U : 0U)];
        changes.push_back({times.start, rate});
        changes.push_back({end, -rate});
        ++process.events;
      });
  for (auto& [global_pid, process] : processes)
    rows.push_back(row_of(std::move(process), global_pid, context.report));
  return read;
}

}  // namespace prof::timeline
