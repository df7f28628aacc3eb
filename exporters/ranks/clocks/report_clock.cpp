#include "exporters/ranks/clocks/report_clock.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "exporters/analysis/events/rows.hpp"

namespace prof::ranks {

using base::Result;
using base::Status;

namespace {

Status read_readings(const report::ReportReader& reader, ReportClock& clock) {
  constexpr const char* kTable = "PROF_CLOCKS";
  for (const char* column : {"time", "realtime", "ntpMaxError", "isSynchronized"})
    if (!reader.has_column(kTable, column)) return {};
  return events::for_each_row(
      reader,
      "SELECT time, realtime, ntpMaxError, isSynchronized FROM main.PROF_CLOCKS ORDER BY time",
      [&](const report::Statement& row) {
        clock.readings.push_back(
            {row.integer(0), row.integer(1), row.integer(2), row.integer(3) != 0});
      });
}

Status read_duration(const report::ReportReader& reader, ReportClock& clock) {
  if (!reader.has_column("ANALYSIS_DETAILS", "duration")) return {};
  return events::for_each_row(
      reader, "SELECT duration FROM main.ANALYSIS_DETAILS", [&](const report::Statement& row) {
        clock.duration = std::clamp<std::int64_t>(row.integer(0), 0, events::kMaxTime);
      });
}

// MPI's calls end when their processes run again. No rank returns before all have come, so the
// shortest calls hardly wait, and ends differ by less than these last.
double usual_bias_of_mpi(std::vector<CollectiveEnd> ends) {
  const auto tenth = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 10);
  std::ranges::nth_element(ends, tenth, {}, &CollectiveEnd::duration);
  return std::max(kUsualBias, static_cast<double>(tenth->duration) / 2);
}

// A sequence with the operations that end together.
CollectiveSequence ends_of(const CallSequence& sequence) {
  CollectiveSequence result{sequence.communicator, {}};
  for (const RankCall& each : sequence.calls)
    if (each.ends_together) result.ends.push_back({each.end, each.duration(), each.letter});
  result.is_mpi = sequence.source == CallSource::kMpi;
  if (result.is_mpi && !result.ends.empty()) result.usual_bias = usual_bias_of_mpi(result.ends);
  return result;
}

}  // namespace

Result<ReportClock> read_report_clock(const report::ReportReader& reader,
                                      const std::vector<ReportRank>& ranks, bool with_collectives) {
  ReportClock clock;
  clock.path = reader.path();
  if (!ranks.empty()) clock.node = ranks.front().unit.node;
  auto machine = events::read_machine_clock(reader);
  if (!machine) return tl::make_unexpected(machine.error());
  clock.machine = *std::move(machine);
  if (const Status read = read_readings(reader, clock); !read)
    return tl::make_unexpected(read.error());
  if (const std::int64_t start = events::session_start(reader);
      start > 0 && start <= events::kMaxTime)
    clock.utc_start = start;
  if (const Status read = read_duration(reader, clock); !read)
    return tl::make_unexpected(read.error());
  if (!with_collectives) return clock;
  const auto calls = read_collective_calls(reader, ranks, CallDetails::kKernels);
  if (!calls) return tl::make_unexpected(calls.error());
  add_sequences(*calls, clock);
  auto messages = read_messages(reader, ranks, calls->nccl_messages);
  if (!messages) return tl::make_unexpected(messages.error());
  clock.messages = std::move(messages->sequences);
  return clock;
}

void add_sequences(const ReportCalls& calls, ReportClock& clock) {
  for (const CallSequence& each : calls.sequences)
    if (each.source != CallSource::kMpi || each.has_all_ranks)
      if (auto ends = ends_of(each); !ends.ends.empty()) clock.sequences.push_back(std::move(ends));
}

}  // namespace prof::ranks
