// Finds the events that are related to an event: what it launched, the ranges around it, its
// contents, and other events with its name.
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
  static constexpr std::size_t kMaximum = 100;  // maximum for each relation

  std::vector<EventLink> all;
  std::uint64_t more = 0;  // number of links that were left out
};

// Finds the links in the timeline, without reading the report.
EventLinks links_of(const timeline::Snapshot& snapshot, const timeline::Event& event);

// Returns the call that launched work on the GPU, if there is one.
std::optional<timeline::Event> launch_of(const timeline::Snapshot& snapshot,
                                         const timeline::Event& event);

}  // namespace prof::view
