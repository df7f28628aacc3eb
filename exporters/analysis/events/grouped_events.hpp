// Holds events in little memory: sorted by group, for example by thread, and within each group by
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <ranges>
#include <span>
#include <unordered_map>
#include <vector>

#include "exporters/analysis/events/packed_integers.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

// Returns the elements [first, last) of a table that makes an element when it is read.
template <class Table>
auto elements(const Table& table, std::size_t first, std::size_t last) {
  return std::views::iota(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)) |
         std::views::transform(
             [&table](std::uint32_t index) { return table.at(std::size_t{index}); });
}

// Returns the first index of [first, last) for which `is_before(index)` is false, or `last`.
template <class IsBefore>
std::size_t partition_index(std::size_t first, std::size_t last, IsBefore is_before) {
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (is_before(middle))
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

// Returns the same. It takes few steps if the result is close to `near`.
template <class IsBefore>
std::size_t partition_index_near(std::size_t near, std::size_t first, std::size_t last,
                                 IsBefore is_before) {
  if (near < first || near > last) return partition_index(first, last, is_before);
  std::size_t step = 1;
  if (near < last && is_before(near)) {
    for (; step < last - near && is_before(near + step); step *= 2) near += step;
    return partition_index(near + 1, step < last - near ? near + step : last, is_before);
  }
  for (; step <= near - first && !is_before(near - step); step *= 2) near -= step;
  return partition_index(step <= near - first ? near - step + 1 : first, near, is_before);
}

class GroupedEvents {
 public:
  // The order of events that begin at the same time.
  enum class Ties { kShortestFirst, kLongestFirst };

  // `values` is the number of values that each event has besides its times.
  GroupedEvents(std::size_t values, Ties ties) : ties_(ties), columns_(kValues + values + 1) {}

  // Adds an event. Returns the number of its group: groups are numbered as they appear.
  std::size_t add(std::int64_t group, const Times& times,
                  std::initializer_list<std::int64_t> values);
  // Sorts the events, once, after the last one was added and before any is read. The sort is
  // stable. `is_before` is the order of the groups' keys. Recorded events of a group are usually in
  // order already; returns false if they were not.
  bool sort(const std::function<bool(std::int64_t, std::int64_t)>& is_before = std::less<>());

  // Sorted events are counted from 0.
  std::size_t size() const { return columns_.front().size(); }
  std::int64_t start(std::size_t event) const { return columns_[kStart][event]; }
  std::int64_t end(std::size_t event) const { return start(event) + columns_[kLength][event]; }
  std::int64_t value(std::size_t event, std::size_t index) const {
    return columns_[kValues + index][event];
  }
  // Returns the event's group as an index into groups().
  std::size_t group(std::size_t event) const {
    return static_cast<std::size_t>(columns_.back()[event]);
  }

  struct Group {
    std::int64_t key;
    std::size_t number;  // as add() returned it
    std::size_t first;   // its first event
    std::size_t end;     // the event after its last one
  };
  std::span<const Group> groups() const { return groups_; }  // in the order of the keys
  // Returns the first event of a group that begins at `time` or later, or the group's end.
  std::size_t first_from(const Group& group, std::int64_t time) const;

 private:
  static constexpr std::size_t kStart = 0;
  static constexpr std::size_t kLength = 1;
  static constexpr std::size_t kValues = 2;
  using Columns = std::vector<PackedIntegers>;

  // The events of a group before they are sorted.
  struct Unsorted {
    std::int64_t key;
    Columns columns;
    Times last;
    bool is_in_order;
  };

  std::size_t number_of(std::int64_t key, const Times& first);
  bool is_earlier(const Times& a, const Times& b) const;
  std::vector<std::uint32_t> order_of(const Columns& columns) const;

  Ties ties_;
  Columns columns_;  // start, length, the values and the group
  std::vector<Group> groups_;
  std::vector<Unsorted> unsorted_;                              // by number
  std::unordered_map<std::int64_t, std::size_t> numbers_;       // of the groups, by key
  std::size_t last_ = std::numeric_limits<std::size_t>::max();  // the group of the last event
};

}  // namespace prof::events
