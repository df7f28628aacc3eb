#include "exporters/analysis/replay/change_times.hpp"

#include <algorithm>
#include <string>

#include "exporters/analysis/insight/report_activity.hpp"
#include "exporters/analysis/replay/function_times.hpp"

namespace prof::replay {

using insight::IdleKind;

IdleByKind idle_by_kind(const std::vector<insight::IdleTime>& idle,
                        const insight::ApiTimeline& calls) {
  struct Found {
    std::map<std::int64_t, insight::Intervals> threads;
    std::vector<std::pair<std::uint32_t, std::int64_t>> next;
  };
  std::map<IdleKind, Found> found;
  for (const insight::IdleTime& each : idle) {
    const IdleKind kind = insight::kind_of(each, calls);
    Found& of_kind = found[kind];
    of_kind.next.emplace_back(each.device, each.time.end);
    if (each.thread == 0 || kind == IdleKind::kGraph) continue;
    // The launch belongs to short idle times and to those of slow calls.
    const bool with_launch = kind == IdleKind::kLaunches || kind == IdleKind::kCalls;
    const insight::Interval time{each.time.start, with_launch ? each.time.end : each.launch};
    if (time.length() > 0) of_kind.threads[each.thread].push_back(time);
  }
  IdleByKind result;
  for (auto& [kind, each] : found) {
    std::ranges::sort(each.next);
    result[kind] = {RangeTimes(std::move(each.threads)), std::move(each.next)};
  }
  return result;
}

base::Result<ChangeTimes> read_times(const report::ReportReader& reader,
                                     const std::vector<WhatIf>& changes) {
  std::vector<std::string> names;
  std::vector<std::string> functions;
  for (const WhatIf& change : changes) {
    if (change.subject == WhatIf::Subject::kRange) names.push_back(change.name);
    if (change.subject == WhatIf::Subject::kFunction) functions.push_back(change.name);
  }
  auto ranges = RangeTimes::read(reader, names);
  if (!ranges) return tl::make_unexpected(ranges.error());
  ChangeTimes result{*std::move(ranges)};
  if (!functions.empty()) {
    auto of_functions = read_function_times(reader, functions);
    if (!of_functions) return tl::make_unexpected(of_functions.error());
    result.functions = *std::move(of_functions);
  }
  if (std::ranges::find(changes, WhatIf::Subject::kIdle, &WhatIf::subject) == changes.end())
    return result;
  const auto activity = insight::ReportActivity::read(reader);
  if (!activity) return tl::make_unexpected(activity.error());
  result.idle = idle_by_kind(activity->idle, activity->calls);
  return result;
}

}  // namespace prof::replay
