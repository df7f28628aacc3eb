#include "exporters/analysis/events/grouped_events.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

namespace prof::events {
namespace {

struct Event {
  std::int64_t group;
  std::int64_t start;
  std::int64_t end;
  std::int64_t number = 0;  // in the order before the sort
  bool operator==(const Event&) const = default;
};

// Sorts as the standard library does.
void expect_sorted(std::vector<Event> events, bool is_recorded_in_order,
                   GroupedEvents::Ties ties = GroupedEvents::Ties::kShortestFirst) {
  GroupedEvents sorted(1, ties);
  for (std::size_t i = 0; i < events.size(); ++i) {
    Event& each = events[i];
    each.number = static_cast<std::int64_t>(i);
    sorted.add(each.group, {each.start, each.end}, {each.number});
  }
  const std::int64_t sign = ties == GroupedEvents::Ties::kShortestFirst ? 1 : -1;
  std::ranges::stable_sort(events, {}, [&](const Event& each) {
    return std::tuple(each.group, each.start, sign * each.end);
  });
  EXPECT_EQ(sorted.sort(), is_recorded_in_order);
  ASSERT_EQ(sorted.size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const GroupedEvents::Group& group = sorted.groups()[sorted.group(i)];
    ASSERT_EQ((Event{group.key, sorted.start(i), sorted.end(i), sorted.value(i, 0)}), events[i]);
    ASSERT_TRUE(group.first <= i && i < group.end);
  }
}

TEST(GroupedEvents, ThatAreInOrder) {
  expect_sorted({}, true);
  expect_sorted({{7, 1, 2}}, true);
  std::vector<Event> events;
  std::mt19937 random(1);
  for (std::int64_t i = 0; i < 50'000; ++i)
    events.push_back({static_cast<std::int64_t>(random() % 13) - 6, i / 3, i});
  expect_sorted(events, true);
}

TEST(GroupedEvents, InAnyOrder) {
  std::vector<Event> events;
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i) {
    const auto start = static_cast<std::int64_t>(random() % 100);
    events.push_back({static_cast<std::int64_t>(random()) << 32 >> (random() % 2 * 60), start,
                      start + static_cast<std::int64_t>(random() % 10)});
  }
  events.insert(events.end(), {{1, 2, 3}, {1, 1, 3}});
  expect_sorted(events, false);
  expect_sorted(events, false, GroupedEvents::Ties::kLongestFirst);
}

TEST(GroupedEvents, GroupsMayHaveAnOrderOfTheirOwn) {
  GroupedEvents events(0, GroupedEvents::Ties::kShortestFirst);
  EXPECT_EQ(events.add(5, {1, 2}, {}), 0U);
  EXPECT_EQ(events.add(9, {3, 4}, {}), 1U);
  EXPECT_EQ(events.add(5, {5, 6}, {}), 0U);
  EXPECT_TRUE(events.sort(std::greater()));
  ASSERT_EQ(events.groups().size(), 2U);
  EXPECT_EQ(events.groups()[0].key, 9);
  EXPECT_EQ(events.groups()[0].number, 1U);
  EXPECT_EQ(events.groups()[1].key, 5);
  EXPECT_EQ(events.start(2), 5);
}

TEST(GroupedEvents, AreFoundByTime) {
  GroupedEvents events(0, GroupedEvents::Ties::kShortestFirst);
  for (const std::int64_t start : {10, 20, 20, 30}) events.add(1, {start, start + 1}, {});
  events.add(2, {15, 16}, {});
  events.sort();
  const GroupedEvents::Group& group = events.groups()[0];
  EXPECT_EQ(events.first_from(group, 0), 0U);
  EXPECT_EQ(events.first_from(group, 20), 1U);
  EXPECT_EQ(events.first_from(group, 21), 3U);
  EXPECT_EQ(events.first_from(group, 31), 4U);
}

}  // namespace
}  // namespace prof::events
