#include "exporters/analysis/insight/graphics/submits.hpp"

#include <map>
#include <string_view>
#include <utility>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/graphics/vulkan_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::insight {

namespace {

using Key = std::pair<std::int64_t, std::int64_t>;  // process, correlation id

// Labels lie within command buffers, so overlapping work counts once.
base::Result<std::map<Key, Intervals>> read_work(const report::ReportReader& reader) {
  std::map<Key, Intervals> found;
  const base::Status read = events::for_each_event(
      reader, {events::kVulkanWorkTable, {"globalTid", "correlationId"}, {}},
      [&](const events::Times& times, const report::Row& row) {
        found[{events::process_of(row.integer_or(0, 0)), row.integer_or(1, 0)}].push_back(
            {times.start, times.end});
      });
  if (!read) return tl::make_unexpected(read.error());
  for (auto& [key, work] : found) work = merged(std::move(work));
  return found;
}

}  // namespace

base::Result<std::vector<Submit>> read_submits(const report::ReportReader& reader) {
  std::vector<Submit> submits;
  if (!reader.has_table(events::kVulkanWorkTable) || !reader.has_table(events::kVulkanTable))
    return submits;
  const auto work = read_work(reader);
  if (!work) return tl::make_unexpected(work.error());
  events::Strings strings(reader);
  const base::Status read = events::for_each_event(
      reader,
      {events::kVulkanTable, {"globalTid", "correlationId", "nameId"}, events::vulkan_calls()},
      [&](const events::Times& times, const report::Row& row) {
        const std::int64_t tid = row.integer_or(0, 0);
        const auto of_call = work->find({events::process_of(tid), row.integer_or(1, 0)});
        if (of_call == work->end()) return;
        const std::string_view name = strings.text(row.integer_or(2, events::Strings::kNone));
        if (name.starts_with("vkQueueSubmit"))
          submits.push_back({times.start, times.end, tid, total(of_call->second)});
      });
  if (!read) return tl::make_unexpected(read.error());
  return submits;
}

}  // namespace prof::insight
