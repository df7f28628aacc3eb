// Writes what threads did: NVTX ranges and calls, in rows of their threads.
#include <fmt/format.h>

#include <map>
#include <tuple>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/formats/perfetto/parts.hpp"
#include "exporters/formats/perfetto/rows.hpp"
#include "exporters/formats/trace/nvtx_times.hpp"
#include "exporters/formats/trace/thread_tables.hpp"

namespace prof::formats {

namespace {

constexpr std::int32_t kFirstApiRank = 100;  // after the NVTX domains

// The rows of a table that has one row for each thread.
class ThreadRows {
 public:
  ThreadRows(PerfettoTrace& trace, const SliceNames& names, const ThreadTable& table,
             std::int32_t rank)
      : trace_(trace), rows_(trace.stream, trace.tracks, names, true), table_(table), rank_(rank) {}

  std::uint32_t row_of(std::int64_t global_tid) {
    if (last_ < threads_.size() && threads_[last_] == global_tid) return last_;
    const auto [at, is_new] = numbers_.try_emplace(global_tid, rows_.size());
    if (is_new) {
      threads_.push_back(global_tid);
      rows_.add_row(trace_.tracks.thread(global_tid), table_.row, rank_);
    }
    return last_ = at->second;
  }
  std::int64_t thread(std::uint32_t row) const { return threads_[row]; }
  PerfettoRows& rows() { return rows_; }

 private:
  PerfettoTrace& trace_;
  PerfettoRows rows_;
  const ThreadTable& table_;
  std::int32_t rank_;
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;
  std::vector<std::int64_t> threads_;
  std::uint32_t last_ = 0;
};

base::Status write_table(PerfettoTrace& trace, SliceNames& names, const ThreadTable& table,
                         std::int32_t rank) {
  ThreadRows rows(trace, names, table, rank);
  const bool has_result =
      trace.reader.has_column(table.table, "returnValue") && table.launches_gpu_work;
  using report::ScanColumn;
  const report::ScanColumns columns{"globalTid", table.name_column,
                                    table.launches_gpu_work ? "correlationId" : ScanColumn::null(),
                                    has_result ? "returnValue" : ScanColumn::constant(0)};
  const auto make = [&](const events::Times& times, const report::Row& row) {
    return Slice{times.start,
                 times.end,
                 rows.row_of(row.integer(0)),
                 names.of_id(row.integer(1)),
                 row.integer_or(2, INT64_MIN),
                 static_cast<std::uint32_t>(row.integer(3))};
  };
  std::vector<std::uint64_t> links;
  return for_each_slice(
      trace.reader, {{table.table, columns, table.condition}}, make, [&](const Slice& slice) {
        links.clear();
        if (table.launches_gpu_work)
          trace.links.launch(events::process_of(rows.thread(slice.row)), slice.detail, slice.start,
                             [&](std::uint64_t link) { links.push_back(link); });
        SliceExtras extras{links, true};
        if (slice.details != 0) {
          extras.value_name = "returnValue";
          extras.value = static_cast<std::int32_t>(slice.details);
        }
        rows.rows().add(slice, extras);
      });
}

// The rows of NVTX: each thread has one row for each domain and kind of range.
class NvtxRows {
 public:
  NvtxRows(PerfettoTrace& trace, const SliceNames& names, std::int64_t type)
      : trace_(trace),
        rows_(trace.stream, trace.tracks, names, type == events::kPushPopRange),
        type_(type) {}

  std::uint32_t row_of(std::int64_t global_tid, std::int64_t domain) {
    const auto [at, is_new] = numbers_.try_emplace({global_tid, domain}, rows_.size());
    if (is_new) {
      const std::string& name = trace_.names.nvtx_domain(global_tid, domain);
      rows_.add_row(trace_.tracks.thread(global_tid),
                    fmt::format("NVTX{}{}{}", name.empty() ? "" : " ", name, kind()), rank());
    }
    return at->second;
  }
  PerfettoRows& rows() { return rows_; }

 private:
  const char* kind() const {
    if (type_ == events::kPushPopRange) return "";
    return type_ == events::kStartEndRange ? " start/end" : " marks";
  }
  // Returns the rank of the row: ranges are above marks.
  std::int32_t rank() const {
    if (type_ == events::kPushPopRange) return 1;
    return type_ == events::kStartEndRange ? 2 : 3;
  }

  PerfettoTrace& trace_;
  PerfettoRows rows_;
  std::int64_t type_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> numbers_;
};

std::uint32_t nvtx_name(SliceNames& names, const report::Row& row, int text) {
  if (!row.is_null(text)) return names.of_text(row.text(text));
  return row.is_null(text + 1) ? names.of_text("") : names.of_id(row.integer(text + 1));
}

// Returns the payload of the range, or the fact that it never ended.
SliceExtras nvtx_extras(const SliceNames& names, const Slice& slice) {
  SliceExtras extras;
  if (slice.details != 0) {
    extras.text_name = "payload";
    extras.text_number = slice.details - 1;
    extras.text = &names.text(extras.text_number);
  } else if (slice.detail != 0) {
    extras.value_name = "open";
    extras.value = 1;
  }
  return extras;
}

base::Status write_nvtx_events(PerfettoTrace& trace, SliceNames& names, std::int64_t type,
                               const report::ScanColumn& end) {
  NvtxRows rows(trace, names, type);
  const auto make = [&](const events::Times& times, const report::Row& row) {
    return Slice{times.start,
                 times.end,
                 rows.row_of(row.integer(0), row.integer(1)),
                 nvtx_name(names, row, 2),
                 row.integer(5),
                 row.is_null(4) ? 0 : names.of_text(row.text(4)) + 1};
  };
  const report::ScanColumns columns = nvtx_columns(trace.reader);
  return for_each_slice(
      trace.reader, {{events::kNvtxTable, columns, report::RowCondition{"eventType", {type}}}, end},
      make, [&](const Slice& slice) {
        const SliceExtras extras = nvtx_extras(names, slice);
        type == kNvtxMark ? rows.rows().add_instant(slice, extras) : rows.rows().add(slice, extras);
      });
}

}  // namespace

base::Status write_nvtx(PerfettoTrace& trace) {
  if (!trace.reader.has_table(events::kNvtxTable)) return {};
  SliceNames names(trace.reader);
  const auto nvtx = nvtx_times(trace.reader);
  if (!nvtx) return tl::make_unexpected(nvtx.error());
  const auto end = report::ScanColumn::or_else("end", nvtx->latest);
  for (const std::int64_t type : {events::kPushPopRange, events::kStartEndRange, kNvtxMark}) {
    if (!nvtx->types.contains(type)) continue;
    if (base::Status written =
            write_nvtx_events(trace, names, type, type == kNvtxMark ? "start" : end);
        !written)
      return written;
  }
  return {};
}

base::Status write_thread_events(PerfettoTrace& trace) {
  std::int32_t rank = kFirstApiRank;
  for (const ThreadTable& table : thread_tables(trace.reader)) {
    // The names of some OpenMP events are missing in nsys's reports.
    SliceNames names(trace.reader, table.row.c_str());
    if (base::Status written = write_table(trace, names, table, rank++); !written) return written;
  }
  return {};
}

}  // namespace prof::formats
