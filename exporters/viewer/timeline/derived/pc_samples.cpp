// Shows what the warps of a context wait for, over time: PC samples by cause.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/stalls/samples.hpp"
#include "exporters/viewer/timeline/derived/derived_rows.hpp"

namespace prof::timeline {

namespace {

struct CauseSeries {
  stalls::Cause cause;
  const char* name;
};
constexpr CauseSeries kCauses[] = {{stalls::Cause::kMemory, "memory"},
                                   {stalls::Cause::kSharedMemory, "shared memory"},
                                   {stalls::Cause::kArithmetic, "arithmetic"},
                                   {stalls::Cause::kBarrier, "barrier"},
                                   {stalls::Cause::kInstructions, "instructions"},
                                   {stalls::Cause::kNone, "no wait"}};
constexpr std::size_t kCauseCount = std::size(kCauses);

std::size_t index_of(stalls::Cause cause) {
  std::size_t index = 0;
  while (index + 1 < kCauseCount && kCauses[index].cause != cause) ++index;
  return index;
}

// The samples of a time, by cause.
struct SampleSlice {
  std::int64_t end = 0;
  std::array<std::int64_t, kCauseCount> samples{};
};
using ContextOf = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // process, GPU, context
using Slices = std::map<std::int64_t, SampleSlice>;                      // by start

std::vector<std::vector<Sample>> shares_of(const Slices& slices) {
  std::vector<std::vector<Sample>> series(kCauseCount);
  for (auto slice = slices.begin(); slice != slices.end(); ++slice) {
    const auto& [start, of] = *slice;
    std::int64_t total = 0;
    for (const std::int64_t each : of.samples) total = events::sum(total, each);
    const auto next = std::next(slice);
    // A curve keeps its value, but not over a time without samples.
    const bool is_followed = next != slices.end() && next->first <= of.end;
    for (std::size_t at = 0; at < kCauseCount; ++at) {
      series[at].push_back(
          {start, 100 * static_cast<double>(of.samples[at]) / static_cast<double>(total)});
      if (!is_followed) series[at].push_back({of.end, 0});
    }
  }
  return series;
}

DerivedRow stall_row(const Slices& slices, const ContextOf& key, std::uint32_t report,
                     std::uint64_t rows) {
  DerivedRow row;
  row.events = rows;
  row.table = events::kPcSampleTable;
  row.unit = "%";
  for (const CauseSeries& each : kCauses) row.series.emplace_back(each.name);
  row.data.counter = std::make_shared<const CounterLanes>(shares_of(slices));
  row.place = [key, report](RowTree& tree) {
    const auto& [process, device, context] = key;
    return tree.row_below(tree.context(report, process, device, context), RowKind::kStalls,
                          RowStyle::kCounter, "");
  };
  return row;
}

}  // namespace

base::Status read_pc_samples(const DerivedContext& context, std::vector<DerivedRow>& rows) {
  std::map<ContextOf, std::pair<Slices, std::uint64_t>> contexts;
  stalls::ReasonNames reasons(context.reader);
  std::int64_t faulty = 0;
  const base::Status read = report::scan(
      context.reader,
      {events::kPcSampleTable,
       {"start", "end", "globalPid", "deviceId", "contextId", "stallId", "samples"}},
      [&](const report::Row& row) {
        const std::int64_t start = row.integer_or(0, INT64_MAX), end = row.integer_or(1, INT64_MAX);
        if (start < -events::kMaxTime || end > events::kMaxTime || end < start ||
            row.integer(6) <= 0) {
          ++faulty;
          return;
        }
        auto& [slices, count] = contexts[{row.integer(2), row.integer(3), row.integer(4)}];
        SampleSlice& slice = slices[start];
        slice.end = std::max(slice.end, end);
        std::int64_t& samples = slice.samples[index_of(reasons.cause(row.integer(5)))];
        samples = events::sum(samples, row.integer(6));
        ++count;
      });
  if (faulty > 0) context.reader.note_faulty(events::kPcSampleTable, faulty);
  for (const auto& [key, of] : contexts)
    rows.push_back(stall_row(of.first, key, context.report, of.second));
  return read;
}

}  // namespace prof::timeline
