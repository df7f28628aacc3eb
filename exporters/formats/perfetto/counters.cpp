// Counters: memory of GPUs, and their metrics.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "exporters/events/event_tables.hpp"
#include "exporters/events/memory_operations.hpp"
#include "exporters/events/rows.hpp"
#include "exporters/formats/perfetto/parts.hpp"

namespace prof::formats {

namespace {

constexpr const char* kMetricTable = "GPU_METRICS";
constexpr const char* kMetricNames = "TARGET_INFO_GPU_METRICS";

// Memory in use, from what was allocated and freed.
struct Change {
  std::int64_t time;
  std::int64_t bytes;
  std::tuple<std::int64_t, std::int64_t> counter;  // GPU, ENUM_CUDA_MEM_KIND
};

base::Result<std::vector<Change>> read_changes(const PerfettoTrace& trace) {
  std::vector<Change> changes;
  const base::Status read = report::scan(
      trace.reader, "start, bytes, memoryOperationType, globalPid, deviceId, memKind",
      events::kMemoryUsageTable, [&](const report::Row& row) {
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

// "SMs Active [Throughput %]": the name, and the unit in brackets.
std::pair<std::string_view, std::string_view> split_unit(std::string_view text) {
  const std::size_t open = text.rfind(" [");
  if (open == std::string_view::npos || !text.ends_with(']')) return {text, ""};
  return {text.substr(0, open), text.substr(open + 2, text.size() - open - 3)};
}

using Metric = std::pair<std::int64_t, std::int64_t>;  // typeId, metricId

base::Result<std::map<Metric, std::string>> read_metric_names(const report::ReportReader& reader) {
  std::map<Metric, std::string> names;
  if (!reader.has_table(kMetricNames)) return names;
  const base::Status read = events::for_each_row(
      reader, fmt::format("SELECT typeId, metricId, metricName FROM {}", kMetricNames),
      [&](const report::Statement& row) {
        names[{row.integer(0), row.integer(1)}] = row.text(2);
      });
  if (!read) return tl::make_unexpected(read.error());
  return names;
}

base::Status write_metrics(PerfettoTrace& trace) {
  if (!trace.reader.has_table(kMetricTable)) return {};
  const auto names = read_metric_names(trace.reader);
  if (!names) return tl::make_unexpected(names.error());
  std::map<Metric, TrackSequence> tracks;
  // The rows of a metric are in the order of time.
  return report::scan(
      trace.reader, "timestamp, typeId, metricId, value", kMetricTable,
      [&](const report::Row& row) {
        constexpr std::int64_t kGpuBits = 0xff;  // of typeId
        const Metric metric{row.integer(1), row.integer(2)};
        auto at = tracks.find(metric);
        if (at == tracks.end()) {
          const auto name = names->find(metric);
          const auto [text, unit] =
              split_unit(name == names->end() ? std::string_view("GPU metric")
                                              : std::string_view(name->second));
          at = tracks
                   .try_emplace(
                       metric, trace.stream,
                       trace.tracks.counter(trace.tracks.gpu(metric.first & kGpuBits), text, unit))
                   .first;
        }
        at->second.count(row.integer(0), static_cast<double>(row.integer(3)));
      });
}

}  // namespace

base::Status write_counters(PerfettoTrace& trace) {
  if (base::Status written = write_memory(trace); !written) return written;
  return write_metrics(trace);
}

}  // namespace prof::formats
