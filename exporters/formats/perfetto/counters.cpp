// Writes counters: memory of GPUs, their metrics, and sampled counters of the machine.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/metrics/sampled_counters.hpp"
#include "exporters/formats/perfetto/parts.hpp"

namespace prof::formats {

namespace {

constexpr std::int32_t kCountersLast =
    1 << 20;  // rank after the other rows of a GPU, or of the trace

// A change of the memory in use, by an allocation or a release.
struct Change {
  std::int64_t time;
  std::int64_t bytes;
  std::tuple<std::int64_t, std::int64_t> counter;  // GPU, ENUM_CUDA_MEM_KIND
};

base::Result<std::vector<Change>> read_changes(const PerfettoTrace& trace) {
  std::vector<Change> changes;
  const base::Status read = report::scan(
      trace.reader,
      {events::kMemoryUsageTable,
       {"start", "bytes", "memoryOperationType", "globalPid", "deviceId", "memKind"}},
      [&](const report::Row& row) {
        constexpr std::int64_t kAllocation = 0;
        constexpr std::int64_t kRelease = 1;
        const std::int64_t operation = row.integer(2);
        if (operation != kAllocation && operation != kRelease) return;
        changes.push_back({row.integer(0),
                           operation == kAllocation ? row.integer(1) : -row.integer(1),
                           {trace.names.gpu_of(row.integer(3), row.integer(4)), row.integer(5)}});
      });
  if (!read) return tl::make_unexpected(read.error());
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time < b.time; });
  return changes;
}

base::Status write_memory(PerfettoTrace& trace) {
  if (!trace.reader.has_table(events::kMemoryUsageTable)) return {};
  const auto changes = read_changes(trace);
  if (!changes) return tl::make_unexpected(changes.error());
  struct Counter {
    TrackSequence track;
    double bytes = 0;
  };
  std::map<std::tuple<std::int64_t, std::int64_t>, Counter> counters;
  for (const Change& change : *changes) {
    auto at = counters.find(change.counter);
    if (at == counters.end()) {
      const auto [gpu, kind] = change.counter;
      const std::uint64_t track = trace.tracks.counter(
          trace.tracks.gpu(gpu), fmt::format("{} memory", events::memory_kind_name(kind)), "bytes");
      at = counters.try_emplace(change.counter, Counter{TrackSequence(trace.stream, track)}).first;
    }
    at->second.bytes += static_cast<double>(change.bytes);
    at->second.track.count(change.time, at->second.bytes);
  }
  return {};
}

base::Status write_sampled(PerfettoTrace& trace) {
  auto counters = events::SampledCounters::read(trace.reader);
  if (!counters) return tl::make_unexpected(counters.error());
  std::map<std::size_t, TrackSequence> tracks;
  std::map<std::string, std::uint64_t> devices;
  const auto track_of_device = [&](const events::SampledCounter& counter) {
    const std::uint64_t parent = counter.gpu ? trace.tracks.gpu(*counter.gpu) : 0;
    if (counter.device.empty()) return parent;
    const auto [at, is_new] = devices.try_emplace(counter.device, 0);
    if (is_new) at->second = trace.tracks.group(parent, counter.device, kCountersLast);
    return at->second;
  };
  return counters->visit(trace.reader, [&](const events::SampledCounter& counter,
                                           std::size_t number, std::int64_t time, double value) {
    auto at = tracks.find(number);
    if (at == tracks.end())
      at = tracks
               .try_emplace(
                   number, trace.stream,
                   trace.tracks.counter(track_of_device(counter), counter.name, counter.unit))
               .first;
    at->second.count(time, value);
  });
}

}  // namespace

base::Status write_counters(PerfettoTrace& trace) {
  if (base::Status written = write_memory(trace); !written) return written;
  return write_sampled(trace);
}

}  // namespace prof::formats
