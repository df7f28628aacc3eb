#include "exporters/analysis/events/grouped_events.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace prof::events {

std::size_t GroupedEvents::number_of(std::int64_t key, const Times& first) {
  // Events of one group often follow each other.
  if (last_ < unsorted_.size() && unsorted_[last_].key == key) return last_;
  const auto [at, is_new] = numbers_.try_emplace(key, unsorted_.size());
  if (is_new) unsorted_.push_back({key, Columns(columns_.size() - 1), first, true});
  return last_ = at->second;
}

std::size_t GroupedEvents::add(std::int64_t group, const Times& times,
                               std::initializer_list<std::int64_t> values) {
  const std::size_t number = number_of(group, times);
  Unsorted& events = unsorted_[number];
  if (is_earlier(times, events.last)) events.is_in_order = false;
  events.last = times;
  events.columns[kStart].push_back(times.start);
  events.columns[kLength].push_back(times.duration());
  std::size_t column = kValues;
  for (const std::int64_t value : values) events.columns[column++].push_back(value);
  return number;
}

bool GroupedEvents::is_earlier(const Times& a, const Times& b) const {
  if (a.start != b.start) return a.start < b.start;
  return ties_ == Ties::kShortestFirst ? a.end < b.end : a.end > b.end;
}

std::vector<std::uint32_t> GroupedEvents::order_of(const Columns& columns) const {
  std::vector<Times> times(columns[kStart].size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i].start = columns[kStart][i];
    times[i].end = times[i].start + columns[kLength][i];
  }
  std::vector<std::uint32_t> order(times.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return is_earlier(times[a], times[b]); });
  return order;
}

bool GroupedEvents::sort(const std::function<bool(std::int64_t, std::int64_t)>& is_before) {
  std::vector<std::size_t> groups(unsorted_.size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  std::ranges::sort(groups, is_before, [&](std::size_t group) { return unsorted_[group].key; });
  bool was_in_order = true;
  for (const std::size_t number : groups) {
    // The columns are freed at the end of this block, so that the memory is not needed twice.
    const Unsorted events = std::move(unsorted_[number]);
    const std::size_t count = events.columns.front().size();
    const auto order = events.is_in_order ? std::vector<std::uint32_t>() : order_of(events.columns);
    for (std::size_t column = 0; column < events.columns.size(); ++column)
      for (std::size_t i = 0; i < count; ++i)
        columns_[column].push_back(events.columns[column][order.empty() ? i : order[i]]);
    for (std::size_t i = 0; i < count; ++i)
      columns_.back().push_back(static_cast<std::int64_t>(groups_.size()));
    groups_.push_back({events.key, number, size() - count, size()});
    was_in_order &= events.is_in_order;
  }
  unsorted_.clear();
  numbers_.clear();
  return was_in_order;
}

std::size_t GroupedEvents::first_from(const Group& group, std::int64_t time) const {
  return partition_index(group.first, group.end,
                         [&](std::size_t event) { return start(event) < time; });
}

}  // namespace prof::events
