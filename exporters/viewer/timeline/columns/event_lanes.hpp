// The events of one row as columns, lane after lane. In a lane the events are sorted by start and
// do not overlap, so their ends are sorted, too. The last lane may be an exception: see kMaxLanes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "exporters/viewer/timeline/columns/chunk_list.hpp"

namespace prof::timeline {

// An event as it was read from the report.
struct RawEvent {
  std::int64_t start;
  std::int64_t end;
  std::uint32_t name;
  std::uint32_t id;
  std::uint32_t correlation;
  std::uint8_t source;
  std::uint8_t flags;  // EventFlag
};

enum EventFlag : std::uint8_t { kOpenEnd = 1, kInstant = 2 };

// The way in which the events of a section get their lanes.
enum class Layout : std::uint8_t {
  kNested,    // by depth: an event is below the events that contain it
  kFirstFit,  // the first free lane
  kInstants,  // all in one lane
};
inline constexpr std::size_t kLayouts = 3;

// Events of one layout before they have lanes, in any order.
class Section {
 public:
  void add(const RawEvent& event) {
    is_sorted_ = is_sorted_ && (events_.empty() || !is_before(event, events_.back()));
    events_.push_back(event);
  }
  void append(Section&& other) {
    if (other.events_.empty()) return;
    is_sorted_ = is_sorted_ && other.is_sorted_ &&
                 (events_.empty() || !is_before(other.events_.front(), events_.back()));
    events_.append(std::move(other.events_));
  }
  std::size_t size() const { return events_.size(); }
  // Sorts the events by start. Of events with equal start the longest comes first.
  void sort();
  template <class Visit>
  void for_each(Visit visit) const {
    events_.for_each(visit);
  }
  // Visits the events and clears the section.
  template <class Visit>
  void consume(Visit visit) {
    events_.consume(visit);
  }

 private:
  static bool is_before(const RawEvent& a, const RawEvent& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  }
  ChunkList<RawEvent> events_;
  bool is_sorted_ = true;
};

// The sections of a row, by Layout. Their lanes are below each other, in that order.
using Sections = std::array<Section, kLayouts>;

class EventLanes {
 public:
  // The maximum number of lanes of a section. If more events overlap, the other events are all in
  // the last lane, one above the other. In that lane an event is shown up to the start of the next.
  static constexpr std::uint32_t kMaxLanes = 512;

  EventLanes() = default;
  // Makes lanes of the sections. `correlations` gets the correlation ids of the events, if any
  // event has one.
  static EventLanes lay_out(Sections sections, std::vector<std::uint32_t>* correlations = nullptr);

  std::size_t size() const { return start_.size(); }
  std::uint32_t lanes() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  // Return the events of a lane: [begin, end).
  std::size_t begin(std::uint32_t lane) const { return first_[lane]; }
  std::size_t end(std::uint32_t lane) const { return first_[lane + 1]; }
  std::uint32_t lane_of(std::size_t index) const;
  // The lanes that together cover all the time that any lane covers: of nested events the
  // outermost.
  const std::vector<std::uint32_t>& covering_lanes() const { return covering_; }

  std::int64_t start(std::size_t index) const { return start_[index]; }
  std::int64_t duration(std::size_t index) const {
    const std::uint32_t value = duration_[index];
    return value == kLong ? long_duration(index) : value;
  }
  std::int64_t end_of(std::size_t index) const { return start_[index] + duration(index); }
  // Returns the end as it is shown, which is different only in a lane with overlaps. Shown ends are
  // sorted in a lane.
  std::int64_t shown_end(std::size_t index) const;
  std::uint32_t name(std::size_t index) const { return name_[index]; }
  std::uint32_t id(std::size_t index) const { return id_[index]; }
  std::uint8_t source(std::size_t index) const { return attribute(index) >> 2; }
  bool has(std::size_t index, EventFlag flag) const { return (attribute(index) & flag) != 0; }

  // Returns the first event of a lane, from `from` on, that starts at `time` or later, or
  // end(lane). The search is fast if that event is near.
  std::size_t first_from(std::uint32_t lane, std::size_t from, std::int64_t time) const;
  // Returns the first event of a lane that ends after `time` or begins at it.
  std::size_t first_shown(std::uint32_t lane, std::int64_t time) const;
  // Returns the longest of the events [from, to), which must not be empty.
  std::size_t longest(std::size_t from, std::size_t to) const;
  // Returns the event with this source and id.
  std::optional<std::size_t> find(std::uint8_t source, std::uint32_t id) const;

  // Returns the number of events whose name is in `names`.
  template <class NameSet>
  std::uint64_t count(const NameSet& names) const {
    std::uint64_t count = 0;
    for (const std::uint32_t name : name_) count += names.has(name) ? 1 : 0;
    return count;
  }

  std::int64_t total() const { return total_; }  // ns, the sum of all durations
  std::int64_t earliest() const { return earliest_; }
  std::int64_t latest() const { return latest_; }

 private:
  static constexpr std::uint32_t kLong = 0xffffffff;
  static constexpr std::size_t kFanOut = 16;

  std::uint8_t attribute(std::size_t index) const {
    return attributes_.empty() ? 0 : attributes_[index];
  }
  std::int64_t long_duration(std::size_t index) const;
  void put(std::size_t index, const RawEvent& event);
  void build_longest();
  std::size_t longer(std::size_t a, std::size_t b) const {
    return duration(b) > duration(a) ? b : a;
  }

  std::vector<std::int64_t> start_;
  std::vector<std::uint32_t> duration_;  // kLong: in long_durations_
  std::vector<std::uint32_t> name_;
  std::vector<std::uint32_t> id_;
  std::vector<std::uint8_t> attributes_;  // source << 2 | flags; empty: all 0
  std::vector<std::size_t> first_{0};     // first event of each lane, and the end
  std::vector<std::uint32_t> covering_;
  std::vector<std::uint32_t> overlapping_;                              // lanes with overlaps
  std::vector<std::pair<std::uint32_t, std::int64_t>> long_durations_;  // by index
  // longest_[0] has the longest of each 16 events, longest_[1] the longest of each 256, …
  std::vector<std::vector<std::uint32_t>> longest_;
  std::int64_t total_ = 0;
  std::int64_t earliest_ = 0;
  std::int64_t latest_ = 0;
};

}  // namespace prof::timeline
