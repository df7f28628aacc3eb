// Shows the GPU memory in use.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/viewer/timeline/derived/derived_rows.hpp"

namespace prof::timeline {

namespace {

using DeviceKey = std::pair<std::int64_t, std::int64_t>;  // globalPid, deviceId

// The change by an allocation or a release.
struct Change {
  std::int64_t time;
  std::int64_t kind;  // kind of memory
  double bytes;
};

// Returns the curves of one process on one GPU, one for each kind of memory.
DerivedRow memory_row(std::vector<Change> changes, const DeviceKey& device, std::uint32_t report) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time < b.time; });
  std::map<std::int64_t, std::vector<Sample>> by_kind;
  for (const Change& change : changes) {
    auto& samples = by_kind[change.kind];
    const double before = samples.empty() ? 0 : samples.back().value;
    samples.push_back({change.time, before + change.bytes});
  }
  DerivedRow row;
  row.events = changes.size();
  row.table = events::kMemoryUsageTable;
  row.unit = "B";
  std::vector<std::vector<Sample>> series;
  for (auto& [kind, samples] : by_kind) {
    row.series.emplace_back(events::memory_kind_name(kind));
    series.push_back(std::move(samples));
  }
  row.data.counter = std::make_shared<const CounterLanes>(std::move(series));
  row.place = [device, report](RowTree& tree) {
    const RowId id = tree.row_below(tree.gpu(report, device.first, device.second), RowKind::kMemory,
                                    RowStyle::kCounter, "", device.first);
    tree.at(id).row.note = fmt::format("pid {}", events::pid_of(device.first));
    return id;
  };
  return row;
}

}  // namespace

base::Status read_memory_use(const DerivedContext& context, std::vector<DerivedRow>& rows) {
  constexpr std::int64_t kRelease = 1;  // ENUM_CUDA_DEV_MEM_EVENT_OPER
  std::map<DeviceKey, std::vector<Change>> changes;
  std::int64_t faulty = 0;
  const base::Status read =
      report::scan(context.reader,
                   {events::kMemoryUsageTable,
                    {"globalPid", "deviceId", "start", "memKind", "memoryOperationType", "bytes"}},
                   [&](const report::Row& row) {
                     const std::int64_t time = row.integer_or(2, INT64_MAX);
                     if (time > events::kMaxTime || time < -events::kMaxTime) {
                       ++faulty;
                       return;
                     }
                     const double bytes = row.real(5);
                     changes[{row.integer(0), row.integer(1)}].push_back(
                         {time, row.integer(3), row.integer(4) == kRelease ? -bytes : bytes});
                   });
  if (faulty > 0) context.reader.note_faulty(events::kMemoryUsageTable, faulty);
  for (auto& [device, all] : changes)
    rows.push_back(memory_row(std::move(all), device, context.report));
  return read;
}

}  // namespace prof::timeline
