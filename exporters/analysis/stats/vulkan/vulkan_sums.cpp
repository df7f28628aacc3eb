// vulkan_api_sum: time in calls of Vulkan. vulkan_marker_sum, vulkan_gpu_marker_sum: time in debug
// labels, on the CPU and on GPUs.
#include <map>
#include <utility>

#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/graphics/vulkan_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/stats/calls/text_sums.hpp"
#include "exporters/analysis/stats/vulkan/vulkan_statistics.hpp"

namespace prof::stats {

using report::Row;
using tables::Table;

namespace {

base::Result<Table> marker_table(const report::ReportReader& reader, const base::Status& read,
                                 TextGroups& groups) {
  if (!read) return tl::make_unexpected(read.error());
  return table_of(kRangeSumOfKind, named(reader, groups));
}

// The begin of a label, which has the same correlation id as its end.
struct Begin {
  std::int64_t time;  // end of the call
  std::int64_t text;
};
using Begins = std::map<std::pair<std::int64_t, std::int64_t>, Begin>;  // by process and id

// Calls `visit(times, key, row)` for each row of a label. The text is column 2 of the row.
template <class Visit>
base::Status for_each_label(const report::ReportReader& reader, Visit visit) {
  return events::for_each_event(
      reader, {events::kVulkanLabelTable, {"globalTid", "correlationId", "textId"}, {}},
      [&](const events::Times& times, const Row& row) {
        visit(times, std::pair(events::process_of(row.integer_or(0, 0)), row.integer_or(1, 0)),
              row);
      });
}

}  // namespace

base::Result<Table> vulkan_api_sum(const report::ReportReader& reader, const Arguments&) {
  return sum_by_text(reader, kCallSum, {events::kVulkanTable, {"nameId"}, events::vulkan_calls()});
}

// A label lasts from the end of the call that begins it to the start of the call that ends it.
base::Result<Table> vulkan_marker_sum(const report::ReportReader& reader, const Arguments&) {
  Begins begins;
  const base::Status found =
      for_each_label(reader, [&](const events::Times& times, const auto& key, const Row& row) {
        if (!row.is_null(2)) begins.try_emplace(key, Begin{times.end, row.integer(2)});
      });
  if (!found) return tl::make_unexpected(found.error());
  TextGroups groups;
  const base::Status read =
      for_each_label(reader, [&](const events::Times& times, const auto& key, const Row& row) {
        if (!row.is_null(2)) return;
        const auto begin = begins.find(key);
        if (begin == begins.end() || begin->second.time > times.start) return;
        groups.add(begin->second.text, times.start - begin->second.time);
      });
  return marker_table(reader, read, groups);
}

base::Result<Table> vulkan_gpu_marker_sum(const report::ReportReader& reader, const Arguments&) {
  TextGroups groups;
  const base::Status read =
      events::for_each_event(reader, {events::kVulkanWorkTable, {"textId"}, {}},
                             [&](const events::Times& times, const Row& row) {
                               if (!row.is_null(0)) groups.add(row.integer(0), times.duration());
                             });
  return marker_table(reader, read, groups);
}

}  // namespace prof::stats
