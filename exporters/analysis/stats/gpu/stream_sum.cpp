// stream_sum: the operations of each CUDA stream, and their overlap with other streams of the
// device.
#include <map>
#include <tuple>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

using insight::Interval;
using insight::Intervals;
using insight::WorkKind;

constexpr const char* kNameTable = "TARGET_INFO_NVTX_CUDA_STREAM";

using StreamNames = std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>,  // pid, device,
                             std::string>;                                          // stream

base::Result<StreamNames> read_names(const report::ReportReader& reader) {
  StreamNames names;
  if (!reader.has_table(kNameTable)) return names;
  const base::Status read = events::for_each_row(
      reader, std::string("SELECT processId, deviceId, streamId, name FROM ") + kNameTable,
      [&](const report::Statement& row) {
        names[{row.integer(0), row.integer(1), row.integer(2)}] = row.text(3);
      });
  if (!read) return tl::make_unexpected(read.error());
  return names;
}

struct Stream {
  std::map<WorkKind, std::int64_t> counts;
  std::vector<Interval> times;
  Intervals busy;
  std::int64_t overlapped = 0;
};
using Streams = std::map<std::int32_t, Stream>;

Streams streams_of(const insight::GpuWork& work, std::size_t device) {
  Streams streams;
  for (const insight::Operation& each : work.operations_of(device)) {
    Stream& stream = streams[each.stream];
    ++stream.counts[each.kind];
    stream.times.push_back(each.interval());
  }
  std::vector<Interval> all;
  for (auto& [id, stream] : streams) {
    stream.busy = insight::merged(stream.times);
    all.insert(all.end(), stream.busy.begin(), stream.busy.end());
  }
  // The busy times of one stream do not overlap, so all overlaps are between different streams.
  const Intervals shared = insight::overlaps(std::move(all));
  for (auto& [id, stream] : streams)
    stream.overlapped = insight::total(insight::intersection(stream.busy, shared));
  return streams;
}

std::vector<tables::Cell> cells_of(Stream& stream, const Interval& span) {
  const std::int64_t busy = insight::total(stream.busy);
  std::int64_t last_end = stream.times.front().end;
  for (const Interval& each : stream.times) last_end = std::max(last_end, each.end);
  return {tables::percent(busy, span.length()),
          busy,
          stream.overlapped,
          tables::percent(stream.overlapped, busy),
          stream.counts[WorkKind::kKernel],
          stream.counts[WorkKind::kCopy],
          stream.counts[WorkKind::kFill],
          stream.counts[WorkKind::kGraph],
          stream.times.front().start,
          last_end};
}

std::vector<tables::ColumnSpec> stream_columns() {
  return {{"Busy (%)", CellKind::kReal, 1},
          {"Busy Time (ns)", CellKind::kInteger},
          {"Overlapped (ns)", CellKind::kInteger},
          {"Overlapped (%)", CellKind::kReal, 1},
          {"Kernels", CellKind::kInteger},
          {"Copies", CellKind::kInteger},
          {"Fills", CellKind::kInteger},
          {"Graphs", CellKind::kInteger},
          {"First Start (ns)", CellKind::kInteger},
          {"Last End (ns)", CellKind::kInteger},
          {"PID", CellKind::kInteger},
          {"Device", CellKind::kInteger},
          {"Stream", CellKind::kInteger},
          {"Name", CellKind::kText}};
}

}  // namespace

base::Result<tables::Table> stream_sum(const report::ReportReader& reader, const Arguments&) {
  const auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  const auto names = read_names(reader);
  if (!names) return tl::make_unexpected(names.error());
  tables::Table table{stream_columns(), {}};
  for (std::size_t device = 0; device < work->devices().size(); ++device) {
    const std::int64_t pid = events::pid_of(work->devices()[device].global_pid);
    const std::int64_t number = work->devices()[device].number;
    for (auto& [id, stream] : streams_of(*work, device)) {
      auto cells = cells_of(stream, work->span(device));
      const auto name = names->find({pid, number, id});
      cells.insert(cells.end(), {pid, number, std::int64_t{id},
                                 name == names->end() ? std::string() : name->second});
      table.rows.push_back(std::move(cells));
    }
  }
  tables::sort_descending(table, 1);
  return table;
}

}  // namespace prof::stats
