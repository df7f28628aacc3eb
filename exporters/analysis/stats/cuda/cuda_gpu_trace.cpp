// cuda_gpu_trace: every kernel, copy and fill in the order of time.
#include <fmt/format.h>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/cuda/device_names.hpp"

namespace prof::stats {

using tables::Cell;

namespace {

constexpr double kMegabyte = 1e6;
constexpr std::int64_t kNanosecondsPerSecond = 1000000000;

std::vector<tables::ColumnSpec> gpu_trace_columns() {
  std::vector<tables::ColumnSpec> result;
  for (const char* header : {"Start (ns)", "Duration (ns)", "CorrId", "GrdX", "GrdY", "GrdZ",
                             "BlkX", "BlkY", "BlkZ", "Reg/Trd"})
    result.push_back({header, tables::CellKind::kInteger});
  for (const char* header : {"StcSMem (MB)", "DymSMem (MB)", "Bytes (MB)", "Throughput (MB/s)"})
    result.push_back({header, tables::CellKind::kReal, 3});
  for (const char* header : {"SrcMemKd", "DstMemKd", "Device"})
    result.push_back({header, tables::CellKind::kText});
  for (const char* header : {"Ctx", "GreenCtx", "Strm"})
    result.push_back({header, tables::CellKind::kInteger});
  result.push_back({"Name", tables::CellKind::kText});
  return result;
}

Cell integer(const report::Row& row, int column) {
  return row.is_null(column) ? Cell{} : Cell{row.integer(column)};
}

Cell megabytes(std::int64_t bytes) { return static_cast<double>(bytes) / kMegabyte; }

// Returns the throughput as nsys computes it: the number of such operations per second is rounded
// down.
Cell throughput(std::int64_t bytes, std::int64_t duration) {
  if (duration == 0) return {};
  const std::int64_t times = kNanosecondsPerSecond / duration;
  return static_cast<double>(bytes) * static_cast<double>(times) / kMegabyte;
}

class Trace {
 public:
  Trace(const report::ReportReader& reader, const DeviceNames& devices, events::KernelNames& names)
      : reader_(reader), devices_(devices), names_(names) {}

  base::Result<tables::Table> run() {
    base::Status read = add_kernels();
    if (read) read = add_memory(events::kMemcpyTable, {"bytes", "srcKind", "dstKind", "copyKind"});
    if (read)
      read = add_memory(events::kMemsetTable, {"bytes", "memKind", report::ScanColumn::null(),
                                               report::ScanColumn::constant(-1)});
    if (!read) return tl::make_unexpected(read.error());
    tables::sort_by_first(table_);
    return std::move(table_);
  }

 private:
  // Returns the common columns of all tables and the table's own columns, which follow from kOwn
  // on.
  static report::ScanColumns with_own(const report::ScanColumns& columns) {
    return report::ScanColumns{"correlationId",
                               "deviceId",
                               "globalPid",
                               "contextId",
                               report::ScanColumn::expression("NULLIF(greenContextId, 0)"),
                               "streamId"} +
           columns;
  }
  static constexpr int kOwn = 6;

  base::Status add_kernels() {
    if (!reader_.has_table(events::kKernelTable)) return {};
    return events::for_each_event(
        reader_,
        {events::kKernelTable,
         with_own({"gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
                   "staticSharedMemory", "dynamicSharedMemory", names_.column(),
                   names_.node_column()})},
        [&](const events::Times& times, const report::Row& row) {
          auto cells = start_row(times, row);
          for (int i = 0; i < 7; ++i) cells.emplace_back(row.integer(kOwn + i));
          cells.push_back(megabytes(row.integer(kOwn + 7)));
          cells.push_back(megabytes(row.integer(kOwn + 8)));
          cells.resize(cells.size() + 4);
          const std::int64_t name = row.integer_or(kOwn + 9, events::Strings::kNone);
          add_row(std::move(cells), row,
                  names_.text(names_.key(
                      {name, row.integer(2), row.integer(0), row.integer_or(kOwn + 10, 0)})));
        });
  }

  base::Status add_memory(const char* table, const report::ScanColumns& columns) {
    if (!reader_.has_table(table)) return {};
    return events::for_each_event(
        reader_, {table, with_own(columns)},
        [&](const events::Times& times, const report::Row& row) {
          auto cells = start_row(times, row);
          cells.resize(cells.size() + 9);
          cells.push_back(megabytes(row.integer(kOwn)));
          cells.push_back(throughput(row.integer(kOwn), times.duration()));
          cells.push_back(memory_kind(row, kOwn + 1));
          cells.push_back(memory_kind(row, kOwn + 2));
          add_row(std::move(cells), row, events::memory_operation_name(row.integer(kOwn + 3)));
        });
  }

  std::vector<Cell> start_row(const events::Times& times, const report::Row& row) const {
    std::vector<Cell> cells;
    cells.reserve(table_.columns.size());
    for (const Cell& cell : {Cell{times.start}, Cell{times.duration()}, integer(row, 0)})
      cells.push_back(cell);
    return cells;
  }

  Cell memory_kind(const report::Row& row, int column) {
    return row.is_null(column) ? Cell{}
                               : Cell{shared_(events::memory_kind_name(row.integer(column)))};
  }

  void add_row(std::vector<Cell> cells, const report::Row& row, const std::string& name) {
    cells.emplace_back(shared_(devices_.text(events::pid_of(row.integer(2)), row.integer(1))));
    for (int column = 3; column < kOwn; ++column) cells.push_back(integer(row, column));
    cells.emplace_back(shared_(name));
    table_.rows.push_back(std::move(cells));
  }

  const report::ReportReader& reader_;
  const DeviceNames& devices_;
  events::KernelNames& names_;
  tables::SharedTexts shared_;
  tables::Table table_{gpu_trace_columns(), {}};
};

}  // namespace

base::Result<tables::Table> cuda_gpu_trace(const report::ReportReader& reader,
                                           const Arguments& arguments) {
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  const auto devices = DeviceNames::read(reader);
  if (!devices) return tl::make_unexpected(devices.error());
  return Trace(reader, *devices, *names).run();
}

}  // namespace prof::stats
