// Encodes the events of a row as numbers of variable length, for a page that is one file.
#pragma once

#include <cstdint>
#include <string>

#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

// Appends a number with 7 bits in each byte, lowest bits first. All bytes but the last have the
// highest bit set.
void append_varint(std::string& out, std::uint64_t value);
// Appends 0, -1, 1, -2, … as 0, 1, 2, 3, …
void append_signed(std::string& out, std::int64_t value);

// The columns of a row, with the layout of docs/viewer-protocol.md. Empty if the row has no events
// in the span.
struct EventColumns {
  std::string bytes;
  std::uint64_t events = 0;
};
EventColumns event_columns(const timeline::Snapshot& snapshot, timeline::RowId row,
                           timeline::Span span);

}  // namespace prof::view
