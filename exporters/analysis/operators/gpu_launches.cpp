#include "exporters/analysis/operators/gpu_launches.hpp"

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::operators {

using insight::WorkKind;
using report::ScanColumn;

namespace {

class LaunchesReader {
 public:
  LaunchesReader(const report::ReportReader& reader, const std::optional<insight::Interval>& window)
      : reader_(reader), window_(window) {}

  base::Result<GpuLaunches> read(events::RangeOf range_of) {
    const ScanColumn none = ScanColumn::constant(0);
    base::Status done = read_calls(range_of);
    if (done) done = read_chains();
    if (done) done = read_table(events::kKernelTable, WorkKind::kKernel, "demangledName", none);
    if (done) done = read_table(events::kMemcpyTable, WorkKind::kCopy, "copyKind", "bytes");
    if (done)
      done = read_table(events::kMemsetTable, WorkKind::kFill,
                        ScanColumn::constant(events::kMemset), "bytes");
    if (done) done = read_table(events::kGraphTable, WorkKind::kGraph, "graphExecId", none);
    if (!done) return tl::make_unexpected(done.error());
    return std::move(found_);
  }

 private:
  base::Status read_calls(events::RangeOf range_of) {
    auto calls = events::ApiCalls::read(reader_);
    if (!calls) return tl::make_unexpected(calls.error());
    found_.calls = std::move(*calls);
    if (range_of == events::RangeOf::kLaunch) return {};
    auto nodes = events::GraphNodes::read(reader_);
    if (!nodes) return tl::make_unexpected(nodes.error());
    found_.nodes = std::move(*nodes);
    return {};
  }

  base::Status read_chains() {
    if (!reader_.has_column(events::kApiTable, "callchainId") ||
        !reader_.has_table(events::kApiCallChainTable))
      return {};
    found_.chains.resize(found_.calls.all().size());
    std::size_t near = 0;
    return report::scan(
        reader_, {events::kApiTable, {"globalTid", "correlationId", "callchainId"}},
        [&](const report::Row& row) {
          const std::int64_t id = row.integer_or(2, 0);
          if (id == 0) return;
          const events::ApiCall* call =
              found_.calls.launching(row.integer(0), row.integer(1), near);
          if (call == nullptr) return;
          std::int64_t& chain =
              found_.chains[static_cast<std::size_t>(call - found_.calls.all().data())];
          if (chain == 0) chain = id;
        });
  }

  base::Status read_table(const char* table, WorkKind kind, const ScanColumn& name,
                          const ScanColumn& bytes) {
    if (!reader_.has_table(table)) return {};
    found_.operations.reserve(found_.operations.size() + events::max_rows(reader_, table));
    const bool has_nodes = !found_.nodes.all().empty();
    const ScanColumn node =
        has_nodes ? report::column_or(reader_, table, "graphNodeId") : ScanColumn::null();
    return events::for_each_event(
        reader_, {table, {"globalPid", "correlationId", "deviceId", "streamId", name, bytes, node}},
        [&](const events::Times& times, const report::Row& row) {
          if (window_ && (times.start > window_->end || times.end < window_->start)) return;
          found_.operations.push_back({.start = times.start,
                                       .end = times.end,
                                       .name = row.integer_or(4, events::Strings::kNone),
                                       .bytes = row.integer_or(5, 0),
                                       .global_pid = row.integer(0),
                                       .correlation = row.integer(1),
                                       .device = static_cast<std::int32_t>(row.integer(2)),
                                       .stream = static_cast<std::int32_t>(row.integer(3)),
                                       .call = -1,
                                       .kind = kind});
          if (has_nodes) found_.nodes_of_operations.push_back(row.integer_or(6, 0));
        });
  }

  const report::ReportReader& reader_;
  const std::optional<insight::Interval>& window_;
  GpuLaunches found_;
};

}  // namespace

base::Result<GpuLaunches> GpuLaunches::read(const report::ReportReader& reader,
                                            events::RangeOf range_of,
                                            const std::optional<insight::Interval>& window) {
  return LaunchesReader(reader, window).read(range_of);
}

}  // namespace prof::operators
