#include "exporters/viewer/file/event_columns.hpp"

#include <vector>

namespace prof::view {

namespace {

using timeline::Event;

// Flags of an event in the file. The source is in the bits above them.
enum Flag : std::uint32_t { kOpenEnd = 1, kInstant = 2, kHasLinks = 4, kOnPath = 8 };
constexpr int kSourceShift = 4;

// The columns of one lane.
class Lane {
 public:
  void add(const Event& event) {
    append_signed(starts_, event.start - last_start_);
    append_varint(durations_, static_cast<std::uint64_t>(event.duration()));
    append_varint(names_, event.name);
    append_signed(ids_, static_cast<std::int64_t>(event.id) - last_id_);
    append_varint(flags_, (event.open_end ? kOpenEnd : 0U) | (event.instant ? kInstant : 0U) |
                              (event.has_links ? kHasLinks : 0U) | (event.on_path ? kOnPath : 0U) |
                              static_cast<std::uint32_t>(event.source) << kSourceShift);
    last_start_ = event.start;
    last_id_ = event.id;
    ++events_;
  }

  std::uint64_t events() const { return events_; }
  void append_to(std::string& out) const {
    for (const std::string* column : {&starts_, &durations_, &names_, &ids_, &flags_})
      out += *column;
  }

 private:
  std::string starts_, durations_, names_, ids_, flags_;
  std::int64_t last_start_ = 0;
  std::int64_t last_id_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

void append_signed(std::string& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  append_varint(out, value < 0 ? ~(bits << 1) : bits << 1);
}

EventColumns event_columns(const timeline::Snapshot& snapshot, timeline::RowId row,
                           timeline::Span span) {
  std::vector<Lane> lanes;
  EventColumns columns;
  snapshot.visit(row, span, [&](const Event& event) {
    if (event.lane >= lanes.size()) lanes.resize(event.lane + 1);
    lanes[event.lane].add(event);
    ++columns.events;
    return true;
  });
  if (lanes.empty()) return columns;
  append_varint(columns.bytes, row);
  append_varint(columns.bytes, lanes.size());
  for (const Lane& lane : lanes) append_varint(columns.bytes, lane.events());
  for (const Lane& lane : lanes) lane.append_to(columns.bytes);
  return columns;
}

}  // namespace prof::view
