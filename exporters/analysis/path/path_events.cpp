#include "exporters/analysis/path/path_events.hpp"

namespace prof::path {

PathEvent path_event(const ExecutionModel& model, const Segment& segment) {
  PathEvent event;
  event.start = segment.start;
  event.end = segment.end;
  event.kind = segment.kind;
  if (!is_on_gpu(segment.kind)) {
    const HostCalls& calls = model.calls();
    event.global_id = calls.threads()[segment.thread].global_tid;
    // On a CPU the item is only the call before.
    event.has_item = segment.kind != SegmentKind::kCpu && segment.item != kNowhere;
    if (!event.has_item) return event;
    event.item_start = calls.start(segment.item);
    event.item_end = calls.end(segment.item);
    return event;
  }
  if (segment.item == kNowhere) return event;
  const auto& stream = model.streams()[model.stream_of(segment.item)];
  const insight::Device& device = model.work().devices()[stream.device];
  event.has_item = true;
  event.global_id = device.global_pid;
  event.device = device.number;
  event.stream = stream.number;
  event.item_start = model.start_of(segment.item);
  event.item_end = model.end_of(segment.item);
  return event;
}

base::Result<std::vector<PathEvent>> path_events(const report::ReportReader& reader) {
  const auto model = ExecutionModel::read(reader);
  if (!model) return tl::make_unexpected(model.error());
  const auto segments = critical_path(*model);
  std::vector<PathEvent> events;
  events.reserve(segments.size());
  for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment)
    events.push_back(path_event(*model, *segment));
  return events;
}

}  // namespace prof::path
