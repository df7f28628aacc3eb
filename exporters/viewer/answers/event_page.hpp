// Makes a page of the sorted table of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

enum class EventOrder { kStart, kDuration, kName };

struct EventPage {
  std::uint64_t total = 0;  // number of events on all pages
  std::vector<timeline::Event> events;
};

struct PageRequest {
  timeline::RowId row = timeline::kNoRow;  // the row, including all rows below it
  timeline::Span span;
  EventOrder order = EventOrder::kStart;
  bool descends = false;
  std::size_t offset = 0;
  std::size_t limit = 0;
};

// Makes a page. Events with equal keys are in the order of rows, lanes and time. Needs 8 bytes for
// each event of the span.
EventPage event_page(const timeline::Snapshot& snapshot, const PageRequest& request);

}  // namespace prof::view
