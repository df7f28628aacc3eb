// What an event has to do with others: what it launched, which ranges are around it, what it
// contains, and others of its name.
#pragma once

#include <cstdint>
#include <vector>

#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

struct EventLink {
  const char* relation;
  timeline::Event event;
};

struct EventLinks {
  static constexpr std::size_t kMost = 100;  // of each relation

  std::vector<EventLink> all;
  std::uint64_t more = 0;  // links beyond that
};

// Uses the timeline only, never the report.
EventLinks links_of(const timeline::Snapshot& snapshot, const timeline::Event& event);

// The call that launched work on the GPU, if there is one.
std::optional<timeline::Event> launch_of(const timeline::Snapshot& snapshot,
                                         const timeline::Event& event);

}  // namespace prof::view
