#include "exporters/viewer/timeline/columns/event_lanes.hpp"

#include <algorithm>
#include <limits>

namespace prof::timeline {

namespace {

// Gives each event of a section its lane.
class LaneChoice {
 public:
  explicit LaneChoice(Layout layout) : layout_(layout) {}

  std::uint32_t lane_of(const RawEvent& event) {
    if (layout_ == Layout::kInstants) return take(0, event);
    while (!ends_.empty() && ends_.back() <= event.start) ends_.pop_back();
    std::size_t lane = layout_ == Layout::kNested ? below_container(event) : 0;
    is_contained_ = is_contained_ && layout_ == Layout::kNested &&
                    (lane > 0 || ends_.empty() || ends_[0] <= event.start);
    while (lane < ends_.size() && ends_[lane] > event.start) ++lane;
    return take(lane, event);
  }
  bool has_overlaps() const { return has_overlaps_; }
  // True if each event below the first lane is inside of an event of the first lane.
  bool is_contained() const { return is_contained_; }

 private:
  // Returns the lane below the innermost event that contains this one, or 0 if there is none.
  std::size_t below_container(const RawEvent& event) const {
    std::size_t lane = ends_.size();
    while (lane > 0 && (ends_[lane - 1] < event.end || ends_[lane - 1] <= event.start)) --lane;
    return lane;
  }
  std::uint32_t take(std::size_t lane, const RawEvent& event) {
    lane = std::min<std::size_t>(lane, EventLanes::kMaxLanes - 1);
    if (lane >= ends_.size()) ends_.resize(lane + 1, std::numeric_limits<std::int64_t>::min());
    has_overlaps_ = has_overlaps_ || ends_[lane] > event.start;
    ends_[lane] = std::max(ends_[lane], event.end);
    return static_cast<std::uint32_t>(lane);
  }

  Layout layout_;
  std::vector<std::int64_t>
      ends_;  // end of the last event of each lane; free lanes at the end are removed
  bool has_overlaps_ = false;
  bool is_contained_ = true;
};

// The lanes of a section's events, in the order of the events.
struct Lanes {
  std::vector<std::uint16_t>
      of_event;                     // lane of each event; empty: all events are in the first lane
  std::vector<std::size_t> counts;  // number of events of each lane
  bool has_overlaps = false;
  bool is_contained = false;
};

Lanes lanes_for(const Section& section, Layout layout) {
  Lanes result;
  LaneChoice choice(layout);
  std::size_t visited = 0;
  section.for_each([&](const RawEvent& event) {
    const std::uint32_t lane = choice.lane_of(event);
    if (lane >= result.counts.size()) {
      // The list is made when a second lane is needed, because most rows have one lane.
      if (result.counts.size() == 1) result.of_event.reserve(section.size());
      result.counts.resize(lane + 1);
    }
    if (result.counts.size() > 1) {
      result.of_event.resize(visited);
      result.of_event.push_back(static_cast<std::uint16_t>(lane));
    }
    ++result.counts[lane];
    ++visited;
  });
  result.has_overlaps = choice.has_overlaps();
  result.is_contained = choice.is_contained();
  return result;
}

}  // namespace

void Section::sort() {
  if (is_sorted_) return;
  std::vector<RawEvent> events = events_.take();
  std::stable_sort(events.begin(), events.end(), is_before);
  for (const RawEvent& event : events) events_.push_back(event);
  is_sorted_ = true;
}

EventLanes EventLanes::lay_out(Sections sections, std::vector<std::uint32_t>* correlations) {
  EventLanes result;
  std::size_t size = 0;
  for (const Section& section : sections) size += section.size();
  result.start_.resize(size);
  result.duration_.resize(size);
  result.name_.resize(size);
  result.id_.resize(size);
  if (correlations != nullptr) correlations->assign(size, 0);
  for (std::size_t layout = 0; layout < kLayouts; ++layout) {
    Section& section = sections[layout];
    section.sort();
    const Lanes lanes = lanes_for(section, static_cast<Layout>(layout));
    std::vector<std::size_t> next;
    for (const std::size_t count : lanes.counts) {
      if (next.empty() || !lanes.is_contained) result.covering_.push_back(result.lanes());
      next.push_back(result.first_.back());
      result.first_.push_back(result.first_.back() + count);
    }
    if (lanes.has_overlaps) result.overlapping_.push_back(result.lanes() - 1);
    std::size_t visited = 0;
    section.consume([&](const RawEvent& event) {
      const std::size_t lane = lanes.of_event.empty() ? 0 : lanes.of_event[visited++];
      const std::size_t index = next[lane]++;
      result.put(index, event);
      if (correlations != nullptr) (*correlations)[index] = event.correlation;
    });
  }
  std::sort(result.long_durations_.begin(), result.long_durations_.end());
  result.build_longest();
  return result;
}

void EventLanes::put(std::size_t index, const RawEvent& event) {
  const std::int64_t duration = event.end - event.start;
  const bool is_first = latest_ == 0 && earliest_ == 0 && total_ == 0 && index == 0;
  earliest_ = is_first ? event.start : std::min(earliest_, event.start);
  latest_ = is_first ? event.end : std::max(latest_, event.end);
  // The sum of impossible durations must not overflow.
  if (__builtin_add_overflow(total_, duration, &total_))
    total_ = std::numeric_limits<std::int64_t>::max();
  start_[index] = event.start;
  name_[index] = event.name;
  id_[index] = event.id;
  if (duration < kLong) {
    duration_[index] = static_cast<std::uint32_t>(duration);
  } else {
    duration_[index] = kLong;
    long_durations_.emplace_back(static_cast<std::uint32_t>(index), duration);
  }
  const auto attribute = static_cast<std::uint8_t>(event.source << 2 | event.flags);
  if (attribute == 0) return;
  if (attributes_.empty()) attributes_.resize(start_.size());
  attributes_[index] = attribute;
}

std::int64_t EventLanes::long_duration(std::size_t index) const {
  return std::lower_bound(long_durations_.begin(), long_durations_.end(),
                          std::pair(static_cast<std::uint32_t>(index), std::int64_t{0}))
      ->second;
}

std::uint32_t EventLanes::lane_of(std::size_t index) const {
  const auto after = std::upper_bound(first_.begin(), first_.end(), index);
  return static_cast<std::uint32_t>(after - first_.begin() - 1);
}

std::int64_t EventLanes::shown_end(std::size_t index) const {
  const std::int64_t end = end_of(index);
  for (const std::uint32_t lane : overlapping_)
    if (index >= begin(lane) && index + 1 < this->end(lane))
      return std::min(end, start_[index + 1]);
  return end;
}

std::size_t EventLanes::first_from(std::uint32_t lane, std::size_t from, std::int64_t time) const {
  const std::size_t last = end(lane);
  std::size_t step = 1;
  std::size_t low = from;
  while (low + step < last && start_[low + step] < time) {
    low += step;
    step *= 2;
  }
  const auto first = start_.begin();
  const auto high = std::min(low + step + 1, last);
  return static_cast<std::size_t>(std::lower_bound(first + static_cast<std::ptrdiff_t>(low),
                                                   first + static_cast<std::ptrdiff_t>(high),
                                                   time) -
                                  first);
}

std::size_t EventLanes::first_shown(std::uint32_t lane, std::int64_t time) const {
  std::size_t low = begin(lane);
  std::size_t high = end(lane);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (start_[middle] < time && shown_end(middle) <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void EventLanes::build_longest() {
  std::size_t size = start_.size();
  while (size > kFanOut) {
    const std::vector<std::uint32_t>* below = longest_.empty() ? nullptr : &longest_.back();
    std::vector<std::uint32_t> level((size + kFanOut - 1) / kFanOut);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t candidate = below == nullptr ? i : (*below)[i];
      std::uint32_t& best = level[i / kFanOut];
      if (i % kFanOut == 0 || duration(candidate) > duration(best))
        best = static_cast<std::uint32_t>(candidate);
    }
    size = level.size();
    longest_.push_back(std::move(level));
  }
}

std::size_t EventLanes::longest(std::size_t from, std::size_t to) const {
  std::size_t best = from;
  std::size_t level = 0;  // 0: events; n: longest_[n - 1]
  const auto candidate = [&](std::size_t i) { return level == 0 ? i : longest_[level - 1][i]; };
  while (from < to) {
    if (level == longest_.size() || to - from <= 2 * kFanOut) {
      for (; from < to; ++from) best = longer(best, candidate(from));
      break;
    }
    for (; from % kFanOut != 0; ++from) best = longer(best, candidate(from));
    for (; to % kFanOut != 0; --to) best = longer(best, candidate(to - 1));
    from /= kFanOut;
    to /= kFanOut;
    ++level;
  }
  return best;
}

std::optional<std::size_t> EventLanes::find(std::uint8_t source, std::uint32_t id) const {
  for (auto at = id_.begin(); (at = std::find(at, id_.end(), id)) != id_.end(); ++at) {
    const auto index = static_cast<std::size_t>(at - id_.begin());
    if (this->source(index) == source) return index;
  }
  return std::nullopt;
}

}  // namespace prof::timeline
