#include "exporters/ranks/clocks/report_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "exporters/analysis/events/rows.hpp"

namespace prof::ranks {

using base::Result;
using base::Status;

namespace {

constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";

// A broadcast or a reduction to one rank ends at different times.
bool ends_together(std::string_view kernel) {
  constexpr std::array<std::string_view, 3> kOperations{"AllReduce", "AllGather", "ReduceScatter"};
  return kernel.starts_with("nccl") && std::ranges::any_of(kOperations, [&](std::string_view each) {
           return kernel.find(each) != std::string_view::npos;
         });
}

std::uint64_t letter_of(std::string_view text) {  // FNV-1a: equal in all reports
  std::uint64_t letter = 0xcbf29ce484222325;
  for (const char c : text) letter = (letter ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return letter;
}

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

// Reads the kernels of collective operations: a sequence for each process and stream. The nth
// stream of a process that has such kernels stands for the nth communicator.
class KernelReader {
 public:
  KernelReader(const report::ReportReader& reader, const std::vector<ReportRank>& ranks)
      : reader_(reader), ranks_(ranks) {}

  Status read(ReportClock& clock) {
    if (!reader_.has_column(kKernels, "shortName")) return {};
    if (const Status read = read_names(); !read) return read;
    if (letters_.empty()) return {};
    const Status read =
        events::for_each_event(reader_, {kKernels, {"globalPid", "streamId", "shortName"}},
                               [&](const events::Times& times, const report::Row& row) {
                                 const auto letter = letters_.find(row.integer(2));
                                 if (letter == letters_.end()) return;
                                 streams_[row.integer(0)][row.integer(1)].push_back(
                                     {times.end, times.duration(), letter->second});
                               });
    if (!read) return read;
    for (auto& [process, streams] : streams_) add(process, streams, clock);
    return {};
  }

 private:
  using Streams = std::map<std::int64_t, std::vector<CollectiveEnd>>;

  Status read_names() {
    return events::for_each_row(reader_,
                                "SELECT id, value FROM main.StringIds WHERE value LIKE 'nccl%'",
                                [&](const report::Statement& row) {
                                  if (ends_together(row.text(1)))
                                    letters_[row.integer(0)] = letter_of(row.text(1));
                                });
  }

  const ReportRank* rank_of(std::int64_t process) const {
    const std::int64_t id = process >> 24;
    for (const ReportRank& rank : ranks_)
      if (!rank.processes || std::ranges::binary_search(*rank.processes, id)) return &rank;
    return nullptr;
  }

  void add(std::int64_t process, Streams& streams, ReportClock& clock) const {
    const ReportRank* rank = rank_of(process);
    std::vector<std::vector<CollectiveEnd>*> ordered;
    for (auto& [stream, ends] : streams) {
      std::ranges::sort(ends, {}, &CollectiveEnd::end);
      ordered.push_back(&ends);
    }
    std::ranges::stable_sort(ordered, {}, [](const auto* ends) { return ends->front().end; });
    for (std::size_t i = 0; i < ordered.size(); ++i)
      clock.sequences.push_back(
          {fmt::format("{}/{}", rank ? rank->unit.job : "", i), std::move(*ordered[i])});
  }

  const report::ReportReader& reader_;
  const std::vector<ReportRank>& ranks_;
  std::map<std::int64_t, std::uint64_t> letters_;  // by name
  std::map<std::int64_t, Streams> streams_;        // by process
};

}  // namespace

Result<ReportClock> read_report_clock(const report::ReportReader& reader,
                                      const std::vector<ReportRank>& ranks, bool with_collectives) {
  ReportClock clock;
  if (!ranks.empty()) clock.node = ranks.front().unit.node;
  auto machine = events::read_machine_clock(reader);
  if (!machine) return tl::make_unexpected(machine.error());
  clock.machine = *std::move(machine);
  if (const Status read = read_readings(reader, clock); !read)
    return tl::make_unexpected(read.error());
  if (const std::int64_t start = events::session_start(reader); start != 0) clock.utc_start = start;
  if (with_collectives)
    if (const Status read = KernelReader(reader, ranks).read(clock); !read)
      return tl::make_unexpected(read.error());
  return clock;
}

}  // namespace prof::ranks
