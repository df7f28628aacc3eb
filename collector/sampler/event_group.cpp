#include "collector/sampler/event_group.hpp"

#include <cerrno>

namespace prof::sampler {

base::Result<std::optional<EventGroup>> EventGroup::open(std::span<const perf_event_attr> events,
                                                         pid_t pid, int cpu, std::size_t bytes) {
  auto first = BufferedEvent::open(events.front(), pid, cpu, bytes);
  if (!first) return tl::make_unexpected(first.error());
  if (!*first) return std::nullopt;
  EventGroup group{static_cast<std::uint32_t>(cpu), std::move(**first), {}};
  for (const perf_event_attr& attributes : events.subspan(1)) {
    base::UniqueFd event = open_event(attributes, pid, cpu);
    if (!event) return base::fail(explain_open_error(errno));
    if (!redirect_event(event, group.first.event))
      return base::fail_errno("cannot share a perf buffer", errno);
    group.others.push_back(std::move(event));
  }
  return group;
}

std::uint64_t EventGroup::lost() const {
  std::uint64_t lost = lost_records(first.event);
  for (const base::UniqueFd& event : others) lost += lost_records(event);
  return lost;
}

std::uint64_t lost_records(std::span<const EventGroup> groups) {
  std::uint64_t lost = 0;
  for (const EventGroup& group : groups) lost += group.lost();
  return lost;
}

std::uint64_t corrupt_bytes(std::span<const EventGroup> groups) {
  std::uint64_t bytes = 0;
  for (const EventGroup& group : groups) bytes += group.first.ring.corrupt_bytes();
  return bytes;
}

std::vector<int> descriptors(std::span<const EventGroup> groups) {
  std::vector<int> result;
  for (const EventGroup& group : groups) result.push_back(group.first.event.get());
  return result;
}

}  // namespace prof::sampler
