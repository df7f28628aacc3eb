// Sorts events by group, for example by thread, and within each group by time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace prof::events {

// Puts each event at its place. `places` has the place of each event.
template <class Event>
void move_to_places(std::vector<Event>& events, std::vector<std::uint32_t> places) {
  for (std::uint32_t i = 0; i < places.size(); ++i)
    while (places[i] != i) {
      const std::uint32_t to = places[i];
      std::swap(events[i], events[to]);
      std::swap(places[i], places[to]);
    }
}

// Sorts by `group_of(event)`, a number, and events of one group by `before(a, b)`. The sort is
// stable. Recorded events of a group are usually in order already, and then this takes linear time.
// Returns the new index of each event; nothing if the events of a group were not in order.
template <class Event, class GroupOf, class Before>
std::vector<std::uint32_t> sort_grouped(std::vector<Event>& events, GroupOf group_of,
                                        Before before) {
  std::map<std::int64_t, std::uint32_t> next;  // by group: the number of events, then a place
  std::vector<std::uint32_t> places(events.size());
  auto last = next.end();
  const auto find = [&](const Event& event) {
    const std::int64_t group = group_of(event);
    if (last == next.end() || last->first != group) last = next.try_emplace(group, 0).first;
    return last;
  };
  for (const Event& event : events) ++find(event)->second;
  std::vector<std::size_t> ends;
  std::size_t end = 0;
  for (auto& [group, count] : next) {
    ends.push_back(end += count);
    count = static_cast<std::uint32_t>(end - count);
  }
  for (std::size_t i = 0; i < events.size(); ++i) places[i] = find(events[i])->second++;
  move_to_places(events, places);
  bool in_order = true;
  std::size_t begin = 0;
  for (const std::size_t each : ends) {
    const auto first = events.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto past = events.begin() + static_cast<std::ptrdiff_t>(each);
    if (!std::is_sorted(first, past, before)) {
      std::stable_sort(first, past, before);
      in_order = false;
    }
    begin = each;
  }
  if (!in_order) places.clear();
  return places;
}

}  // namespace prof::events
