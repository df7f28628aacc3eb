#include "exporters/ranks/path/job_events.hpp"

namespace prof::ranks {

std::optional<JobEvent> event_at(const path::ExecutionModel& model, const path::Place& place) {
  if (place.is_on_gpu) return JobEvent{true, place.index};
  const path::HostCalls& calls = model.calls();
  const std::uint32_t call = calls.last_before(place.index, place.time);
  if (call == path::kNowhere || calls.end(call) < place.time) return std::nullopt;
  return JobEvent{false, call};
}

std::optional<JobEvent> JobEvents::call_at(std::size_t report, std::int64_t global_tid,
                                           std::int64_t start) const {
  const path::HostCalls& calls = reports_[report].model.calls();
  const std::uint32_t thread = calls.find_thread(global_tid);
  if (thread == path::kNowhere) return std::nullopt;
  const std::uint32_t at = calls.last_before(thread, start + 1);
  if (at == path::kNowhere || calls.start(at) != start) return std::nullopt;
  return JobEvent{false, at};
}

std::optional<JobEvent> JobEvents::kernel_at(std::size_t report, std::int64_t global_pid,
                                             std::int64_t start, std::int64_t end) {
  const path::ExecutionModel& model = reports_[report].model;
  auto& kernels = kernels_[report];
  if (kernels.empty())
    for (std::uint32_t i = 0; i < model.operations(); ++i) {
      const insight::Operation each = model.work().at(i);
      if (each.communication)
        kernels.emplace(std::pair(model.work().global_pid(each), each.start), i);
    }
  const auto [first, last] = kernels.equal_range({global_pid, start});
  if (first == last) return std::nullopt;
  for (auto each = first; each != last; ++each)
    if (model.end_of(each->second) == end) return JobEvent{true, each->second};
  return JobEvent{true, first->second};
}

}  // namespace prof::ranks
