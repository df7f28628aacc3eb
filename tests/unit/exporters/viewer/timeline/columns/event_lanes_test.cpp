#include "exporters/viewer/timeline/columns/event_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "tests/unit/exporters/viewer/timeline/random_events.hpp"

namespace prof::timeline {

namespace {

using test::lay_out;
using test::random_events;

RawEvent event(std::int64_t start, std::int64_t end, std::uint32_t id) {
  return {start, end, 0, id, 0, 0, 0};
}

// The lane of each event, by id.
std::map<std::uint32_t, std::uint32_t> lanes_by_id(const EventLanes& lanes) {
  std::map<std::uint32_t, std::uint32_t> result;
  for (std::size_t i = 0; i < lanes.size(); ++i) result[lanes.id(i)] = lanes.lane_of(i);
  return result;
}

void expect_sound(const EventLanes& lanes, const std::vector<RawEvent>& events) {
  ASSERT_EQ(lanes.size(), events.size());
  std::set<std::uint32_t> ids;
  std::int64_t total = 0;
  for (std::uint32_t lane = 0; lane < lanes.lanes(); ++lane)
    for (std::size_t i = lanes.begin(lane); i < lanes.end(lane); ++i) {
      const RawEvent& raw = events[lanes.id(i)];
      EXPECT_EQ(lanes.start(i), raw.start);
      EXPECT_EQ(lanes.end_of(i), raw.end);
      EXPECT_EQ(lanes.name(i), raw.name);
      ids.insert(lanes.id(i));
      total += raw.end - raw.start;
      if (i == lanes.begin(lane)) continue;
      EXPECT_GE(lanes.start(i), lanes.shown_end(i - 1)) << "lane " << lane;
    }
  EXPECT_EQ(ids.size(), events.size());
  EXPECT_EQ(lanes.total(), total);
}

// The most events that are open at one time. Events that touch do not overlap.
std::size_t most_open(const std::vector<RawEvent>& events) {
  std::vector<std::pair<std::int64_t, int>> steps;
  for (const RawEvent& each : events)
    if (each.end > each.start) {
      steps.emplace_back(each.start, 1);
      steps.emplace_back(each.end, -1);
    }
  std::sort(steps.begin(), steps.end());
  int open = 0;
  int most = 0;
  for (const auto& [time, change] : steps) most = std::max(most, open += change);
  return static_cast<std::size_t>(most);
}

TEST(EventLanes, NestedEventsAreBelowWhatContainsThem) {
  const auto lanes = lanes_by_id(lay_out(
      {event(0, 100, 0), event(10, 40, 1), event(20, 30, 2), event(40, 90, 3), event(100, 110, 4)},
      Layout::kNested));
  EXPECT_EQ(lanes,
            (std::map<std::uint32_t, std::uint32_t>{{0, 0}, {1, 1}, {2, 2}, {3, 1}, {4, 0}}));
}

TEST(EventLanes, AChildThatOutlivesItsParentGoesOneLaneDeeperAndStaysWhole) {
  const EventLanes lanes =
      lay_out({event(0, 100, 0), event(50, 150, 1), event(120, 130, 2)}, Layout::kNested);
  EXPECT_EQ(lanes_by_id(lanes), (std::map<std::uint32_t, std::uint32_t>{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(lanes.duration(*lanes.find(0, 1)), 100);
  EXPECT_EQ(lanes.covering_lanes().size(), 3U);
}

TEST(EventLanes, OutermostLaneCoversNestedEvents) {
  const EventLanes lanes = lay_out({event(0, 100, 0), event(10, 40, 1)}, Layout::kNested);
  EXPECT_EQ(lanes.covering_lanes(), std::vector<std::uint32_t>{0});
}

TEST(EventLanes, EventsThatOverlapTakeTheFirstFreeLane) {
  const auto lanes = lanes_by_id(lay_out(
      {event(0, 10, 0), event(5, 20, 1), event(10, 15, 2), event(16, 30, 3)}, Layout::kFirstFit));
  EXPECT_EQ(lanes, (std::map<std::uint32_t, std::uint32_t>{{0, 0}, {1, 1}, {2, 0}, {3, 0}}));
}

TEST(EventLanes, SectionsAreBelowEachOther) {
  Sections sections;
  sections[static_cast<std::size_t>(Layout::kInstants)].add({5, 5, 0, 0, 0, 0, kInstant});
  sections[static_cast<std::size_t>(Layout::kFirstFit)].add(event(0, 10, 1));
  sections[static_cast<std::size_t>(Layout::kNested)].add(event(0, 10, 2));
  sections[static_cast<std::size_t>(Layout::kNested)].add(event(2, 3, 3));
  const EventLanes lanes = EventLanes::lay_out(std::move(sections));
  EXPECT_EQ(lanes_by_id(lanes),
            (std::map<std::uint32_t, std::uint32_t>{{2, 0}, {3, 1}, {1, 2}, {0, 3}}));
  EXPECT_TRUE(lanes.has(*lanes.find(0, 0), kInstant));
  EXPECT_FALSE(lanes.has(*lanes.find(0, 1), kInstant));
}

TEST(EventLanes, RandomEventsKeepTheirValuesAndDoNotOverlapInALane) {
  for (const Layout layout : {Layout::kNested, Layout::kFirstFit})
    for (unsigned seed = 0; seed < 10; ++seed) {
      const auto events = random_events(2000, 100'000, 1000, seed);
      const EventLanes lanes = lay_out(events, layout);
      expect_sound(lanes, events);
      if (layout == Layout::kFirstFit) {
        EXPECT_EQ(lanes.lanes(), most_open(events));
      }
    }
}

TEST(EventLanes, OrderOfInputDoesNotMatter) {
  const auto sorted = random_events(500, 10'000, 300, 1);
  auto shuffled = sorted;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(2));
  const EventLanes lanes = lay_out(shuffled, Layout::kFirstFit);
  expect_sound(lanes, sorted);
  EXPECT_EQ(lanes.lanes(), lay_out(sorted, Layout::kFirstFit).lanes());
}

TEST(EventLanes, SearchesAgreeWithLookingAtEachEvent) {
  const auto events = random_events(3000, 20'000, 500, 3);
  const EventLanes lanes = lay_out(events, Layout::kFirstFit);
  for (std::uint32_t lane = 0; lane < lanes.lanes(); ++lane)
    for (std::int64_t time = -10; time < 20'600; time += 97) {
      const std::size_t begin = lanes.begin(lane);
      const std::size_t end = lanes.end(lane);
      std::size_t from = begin;
      while (from < end && lanes.start(from) < time) ++from;
      EXPECT_EQ(lanes.first_from(lane, begin, time), from);
      std::size_t shown = begin;
      while (shown < end && lanes.start(shown) < time && lanes.end_of(shown) <= time) ++shown;
      EXPECT_EQ(lanes.first_shown(lane, time), shown);
    }
}

TEST(EventLanes, LongestOfAnyRange) {
  const auto events = random_events(5000, 1'000'000, 1000, 4);
  const EventLanes lanes = lay_out(events, Layout::kInstants);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::size_t from = random() % lanes.size();
    const std::size_t to = from + 1 + random() % (lanes.size() - from);
    std::int64_t longest = 0;
    for (std::size_t at = from; at < to; ++at) longest = std::max(longest, lanes.duration(at));
    const std::size_t found = lanes.longest(from, to);
    EXPECT_TRUE(found >= from && found < to);
    EXPECT_EQ(lanes.duration(found), longest);
  }
}

TEST(EventLanes, DurationsOfMoreThanFourSecondsAreKept) {
  constexpr std::int64_t kYear = 31'536'000'000'000'000;
  const EventLanes lanes =
      lay_out({event(0, 0xffffffff, 0), event(0, 0xfffffffe, 1), event(-kYear, kYear, 2)},
              Layout::kFirstFit);
  EXPECT_EQ(lanes.duration(*lanes.find(0, 0)), 0xffffffff);
  EXPECT_EQ(lanes.duration(*lanes.find(0, 1)), 0xfffffffe);
  EXPECT_EQ(lanes.duration(*lanes.find(0, 2)), 2 * kYear);
}

TEST(EventLanes, TotalOfImpossibleDurationsIsTheGreatestNumber) {
  std::vector<RawEvent> events;
  for (std::uint32_t i = 0; i < 10; ++i)
    events.push_back(event(-(std::int64_t{1} << 61), std::int64_t{1} << 61, i));
  EXPECT_EQ(lay_out(events, Layout::kFirstFit).total(), std::numeric_limits<std::int64_t>::max());
}

TEST(EventLanes, AMillionOverlappingEventsHaveFewLanes) {
  constexpr std::uint32_t kEvents = 1'000'000;
  for (const Layout layout : {Layout::kNested, Layout::kFirstFit}) {
    Sections sections;
    for (std::uint32_t i = 0; i < kEvents; ++i)
      sections[static_cast<std::size_t>(layout)].add(
          event(i, layout == Layout::kNested ? 3 * kEvents - i : kEvents + 1 + i, i));
    const EventLanes lanes = EventLanes::lay_out(std::move(sections));
    EXPECT_EQ(lanes.lanes(), EventLanes::kMaxLanes);
    EXPECT_EQ(lanes.size(), kEvents);
    // What is in the last lane is shown up to the next event, so searches work there, too.
    const std::uint32_t last = lanes.lanes() - 1;
    EXPECT_EQ(lanes.first_shown(last, kEvents / 2),
              lanes.first_from(last, lanes.begin(last), kEvents / 2));
  }
}

TEST(EventLanes, AChainOfOverlapsNeedsTwoLanes) {
  std::vector<RawEvent> events;
  for (std::uint32_t i = 0; i < 1000; ++i) events.push_back(event(10 * i, 10 * i + 15, i));
  EXPECT_EQ(lay_out(events, Layout::kNested).lanes(), 2U);
}

TEST(EventLanes, IsFoundBySourceAndId) {
  Sections sections;
  sections[0].add({0, 1, 0, 7, 0, 0, 0});
  sections[0].add({2, 3, 0, 7, 0, 1, 0});
  sections[0].add({4, 5, 0, 8, 0, 63, kOpenEnd});
  const EventLanes lanes = EventLanes::lay_out(std::move(sections));
  EXPECT_EQ(lanes.start(*lanes.find(0, 7)), 0);
  EXPECT_EQ(lanes.start(*lanes.find(1, 7)), 2);
  EXPECT_EQ(lanes.start(*lanes.find(63, 8)), 4);
  EXPECT_TRUE(lanes.has(*lanes.find(63, 8), kOpenEnd));
  EXPECT_FALSE(lanes.find(1, 8));
}

TEST(EventLanes, CorrelationsAreInTheOrderOfEvents) {
  Sections sections;
  sections[1].add({10, 20, 0, 1, 101, 0, 0});
  sections[1].add({0, 15, 0, 0, 100, 0, 0});
  std::vector<std::uint32_t> correlations;
  const EventLanes lanes = EventLanes::lay_out(std::move(sections), &correlations);
  ASSERT_EQ(correlations.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(correlations[i], 100 + lanes.id(i));
}

TEST(EventLanes, NoEvents) {
  const EventLanes lanes = EventLanes::lay_out({});
  EXPECT_EQ(lanes.size(), 0U);
  EXPECT_EQ(lanes.lanes(), 0U);
  EXPECT_FALSE(lanes.find(0, 0));
}

}  // namespace

}  // namespace prof::timeline
