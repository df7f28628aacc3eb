#include "exporters/analysis/insight/breakdown.hpp"

#include <algorithm>

#include "exporters/analysis/events/rows.hpp"

namespace prof::insight {

namespace {

// Returns the limits of the filter. Where it has none, these are the limits of the operations.
Interval window_of(const report::EventFilter& filter, const Interval& operations) {
  return {filter.start <= -events::kMaxTime ? operations.start : filter.start,
          filter.end >= events::kMaxTime ? operations.end : filter.end};
}

}  // namespace

Activity activity(const GpuWork& work, std::size_t device) {
  return activity(work, device, report::EventFilter());
}

Activity activity(const GpuWork& work, std::size_t device, const report::EventFilter& filter) {
  Activity result;
  result.span = window_of(filter, work.span(device));
  std::vector<Interval> compute, communication, copies, busy;
  for (const Operation& each : work.operations_of(device)) {
    const Interval time{std::max(each.start, result.span.start),
                        std::min(each.end, result.span.end)};
    if (time.start >= time.end) continue;
    busy.push_back(time);
    if (each.kind == WorkKind::kCopy || each.kind == WorkKind::kFill)
      copies.push_back(time);
    else if (each.communication)
      communication.push_back(time);
    else
      compute.push_back(time);
  }
  result.compute = merged(std::move(compute));
  result.communication = merged(std::move(communication));
  result.copies = merged(std::move(copies));
  result.busy = merged(std::move(busy));
  return result;
}

Breakdown breakdown(const Activity& activity) {
  Breakdown result;
  result.span = activity.span.length();
  result.compute = total(activity.compute);
  result.exposed_communication = total(difference(activity.communication, activity.compute));
  result.hidden_communication = total(activity.communication) - result.exposed_communication;
  result.exposed_copies =
      total(difference(difference(activity.copies, activity.compute), activity.communication));
  result.hidden_copies = total(activity.copies) - result.exposed_copies;
  result.idle = result.span - total(activity.busy);
  return result;
}

}  // namespace prof::insight
