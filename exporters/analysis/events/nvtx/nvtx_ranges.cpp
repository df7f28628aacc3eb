#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

const char* range_style(std::int64_t type) {
  return type == kPushPopRange ? "PushPop" : "StartEnd";
}

namespace {

// Calls `visit(range)` for every range that `make(times, row)` makes of a row. `columns` are in the
// row from column 3 on. The type and the end are checked here, not in SQL, because SQLite would
// fetch them twice.
template <class Make, class Visit>
base::Status scan_ranges(const report::ReportReader& reader, const report::ScanColumns& columns,
                         Make make, Visit visit) {
  using Range = std::invoke_result_t<Make, Times, const report::Row&>;
  std::vector<Range> open;
  std::int64_t faulty = 0;
  std::int64_t latest = INT64_MIN;
  base::Status read =
      report::scan(reader, {kNvtxTable, report::ScanColumns{"eventType", "start", "end"} + columns},
                   [&](const report::Row& row) {
                     const std::int64_t start = row.integer_or(1, INT64_MAX);
                     const Times times{start, row.integer_or(2, start)};
                     if (times.is_valid()) latest = std::max(latest, times.end);
                     const std::int64_t type = row.integer(0);
                     if (type != kPushPopRange && type != kStartEndRange) return;
                     if (!times.is_valid())
                       ++faulty;
                     else if (row.is_null(2))
                       open.push_back(make(times, row));
                     else
                       visit(make(times, row));
                   });
  for (Range& range : open) {
    range.end = latest;
    visit(range);
  }
  if (faulty > 0) reader.note_faulty(kNvtxTable, faulty);
  return read;
}

struct NamedTime {
  std::int64_t type;
  std::int32_t name;
  std::int64_t start;
  std::int64_t end;
};

}  // namespace

base::Status for_each_range(const report::ReportReader& reader, RangeNames& names,
                            const std::function<void(const NvtxRange&)>& visit) {
  const auto make = [&](const Times& times, const report::Row& row) {
    const std::int64_t global_tid = row.integer(5);
    const bool one_thread = row.is_null(4) || row.integer(4) == global_tid;
    return NvtxRange{row.integer(3), row.integer(0), times.start,         times.end,
                     global_tid,     one_thread,     names.number(row, 5)};
  };
  return scan_ranges(reader, report::ScanColumns{"rowid", "endGlobalTid"} + RangeNames::kColumns,
                     make, visit);
}

base::Status for_each_graph_range(const report::ReportReader& reader, RangeNames& names,
                                  const std::function<void(const NvtxRange&)>& visit) {
  if (!reader.has_table(kGraphRangeTable)) return {};
  return for_each_event(
      reader,
      {kGraphRangeTable, {"rowid", "globalTid", "domainId", report::ScanColumn::null(), "textId"}},
      [&](const Times& times, const report::Row& row) {
        visit({-row.integer(0), kPushPopRange, times.start, times.end, row.integer(1), true,
               names.number(row, 1)});
      });
}

base::Status for_each_range_time(
    const report::ReportReader& reader, RangeNames& names,
    const std::function<void(std::int64_t type, std::int32_t name, std::int64_t duration)>& visit) {
  const auto make = [&](const Times& times, const report::Row& row) {
    return NamedTime{row.integer(0), names.number(row, 3), times.start, times.end};
  };
  return scan_ranges(
      reader, report::ScanColumns() + RangeNames::kColumns, make,
      [&](const NamedTime& range) { visit(range.type, range.name, range.end - range.start); });
}

base::Status for_each_weighted_range(
    const report::ReportReader& reader, RangeNames& names,
    const std::function<void(std::int64_t type, std::int32_t name, std::int64_t duration,
                             std::int64_t weight)>& visit) {
  struct WeightedTime : NamedTime {
    std::int64_t weight;
  };
  const auto make = [&](const Times& times, const report::Row& row) {
    return WeightedTime{{row.integer(0), names.number(row, 4), times.start, times.end},
                        row.integer_or(3, 1)};
  };
  return scan_ranges(reader, report::ScanColumns{"weight"} + RangeNames::kColumns, make,
                     [&](const WeightedTime& range) {
                       visit(range.type, range.name, range.end - range.start, range.weight);
                     });
}

base::Result<std::vector<OpenRanges>> open_ranges(const report::ReportReader& reader) {
  std::vector<OpenRanges> result;
  if (!reader.has_table(kNvtxTable)) return result;
  RangeNames names(reader);
  std::map<std::int32_t, std::int64_t> counts;
  // A range that never ended has an end in prof's reports and none in nsys's.
  const report::ScanColumn is_open =
      report::column_or(reader, kNvtxTable, "isOpen", report::ScanColumn::constant(0));
  const base::Status read =
      report::scan(reader,
                   {kNvtxTable, report::ScanColumns{"end", is_open} + RangeNames::kColumns,
                    report::RowCondition{"eventType", {kPushPopRange, kStartEndRange}}},
                   [&](const report::Row& row) {
                     if (row.is_null(0) || row.integer(1) != 0) ++counts[names.number(row, 2)];
                   });
  if (!read) return tl::make_unexpected(read.error());
  for (const auto& [name, count] : counts) {
    const std::string& text = names.text(name);
    result.push_back(
        {text.starts_with(':') ? text.substr(1) : text, count});  // ":text": without a domain
  }
  std::ranges::stable_sort(result, std::ranges::greater(), &OpenRanges::count);
  return result;
}

}  // namespace prof::events
