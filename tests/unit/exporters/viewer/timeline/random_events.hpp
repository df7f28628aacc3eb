// Random events for tests, the same in each run.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "exporters/viewer/timeline/columns/event_lanes.hpp"

namespace prof::test {

using timeline::RawEvent;

// `longest`: the most that an event lasts. Many small ones, few long ones.
inline std::vector<RawEvent> random_events(std::size_t count, std::int64_t span,
                                           std::int64_t longest, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<RawEvent> events;
  for (std::size_t i = 0; i < count; ++i) {
    const auto start = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span));
    const std::int64_t most = random() % 100 == 0 ? longest : longest / 100 + 1;
    const auto duration = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    events.push_back({start, start + duration, static_cast<std::uint32_t>(random() % 7),
                      static_cast<std::uint32_t>(i), 0, 0, 0});
  }
  return events;
}

inline timeline::EventLanes lay_out(const std::vector<RawEvent>& events, timeline::Layout layout) {
  timeline::Sections sections;
  for (const RawEvent& event : events) sections[static_cast<std::size_t>(layout)].add(event);
  return timeline::EventLanes::lay_out(std::move(sections));
}

}  // namespace prof::test
