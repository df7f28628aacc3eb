#include "exporters/analysis/events/grouped_sort.hpp"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace prof::events {
namespace {

struct Event {
  std::int64_t group;
  int time;
  int number;  // in the order before the sort
  bool operator==(const Event&) const = default;
};

std::vector<std::uint32_t> sort(std::vector<Event>& events) {
  return sort_grouped(
      events, [](const Event& each) { return each.group; },
      [](const Event& a, const Event& b) { return a.time < b.time; });
}

// Sorts as the standard library does, and checks the new indexes.
void expect_sorted(std::vector<Event> events, bool is_recorded_in_order) {
  for (std::size_t i = 0; i < events.size(); ++i) events[i].number = static_cast<int>(i);
  std::vector<Event> expected = events;
  std::stable_sort(expected.begin(), expected.end(), [](const Event& a, const Event& b) {
    return std::tie(a.group, a.time) < std::tie(b.group, b.time);
  });
  const std::vector<std::uint32_t> places = sort(events);
  EXPECT_EQ(events, expected);
  ASSERT_EQ(places.size(), is_recorded_in_order ? events.size() : 0);
  for (std::size_t i = 0; i < places.size(); ++i)
    EXPECT_EQ(events[places[i]].number, static_cast<int>(i));
}

TEST(GroupedSort, GroupsThatAreInOrder) {
  expect_sorted({}, true);
  expect_sorted({{7, 1, 0}}, true);
  std::vector<Event> events;
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i)
    events.push_back({static_cast<std::int64_t>(random() % 13) - 6, i / 3, 0});
  expect_sorted(events, true);
}

TEST(GroupedSort, AnyOrder) {
  std::vector<Event> events;
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i)
    events.push_back({static_cast<std::int64_t>(random()) << 32 >> (random() % 2 * 60),
                      static_cast<int>(random() % 100), 0});
  events.insert(events.end(), {{1, 2, 0}, {1, 1, 0}});
  expect_sorted(events, false);
}

}  // namespace
}  // namespace prof::events
