#include "exporters/analysis/insight/breakdown.hpp"

namespace prof::insight {

Activity activity(const GpuWork& work, std::size_t device) {
  Activity result;
  result.span = work.span(device);
  std::vector<Interval> compute, communication, copies, busy;
  for (const Operation* each = work.begin(device); each != work.end(device); ++each) {
    const Interval time = each->interval();
    busy.push_back(time);
    if (each->kind == WorkKind::kCopy || each->kind == WorkKind::kFill)
      copies.push_back(time);
    else if (each->communication)
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
