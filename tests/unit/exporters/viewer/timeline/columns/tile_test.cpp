#include "exporters/viewer/timeline/columns/tile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/unit/exporters/viewer/timeline/random_events.hpp"
#include "tests/unit/exporters/viewer/timeline/tile_reader.hpp"

namespace prof::timeline {

namespace {

using test::DensityTile;
using test::EventTile;
using test::random_events;
using test::TileReader;
using test::ValueTile;

RowData data_of(std::shared_ptr<const EventLanes> events) {
  RowData data;
  data.events = std::move(events);
  data.exact = true;
  return data;
}

RowData data_of(const std::vector<RawEvent>& events, Layout layout = Layout::kFirstFit) {
  return data_of(std::make_shared<const EventLanes>(test::lay_out(events, layout)));
}

std::string tile(const RowData& data, int level, std::int64_t index) {
  Row row;
  row.id = 5;
  row.version = 3;
  const std::int64_t base = index * (std::int64_t{1024} << level);
  return make_tile(row, data, {base, level}, base);
}

struct Element {
  std::uint32_t start, width, events;
  std::int64_t longest;
  bool before, goes_on;
  bool operator==(const Element&) const = default;
};
void PrintTo(const Element& element, std::ostream* out) {
  *out << element.start << "+" << element.width << " x" << element.events << " longest "
       << element.longest << (element.before ? " <" : "") << (element.goes_on ? " >" : "");
}

// The elements of one lane by the definition in docs/viewer-protocol.md.
std::vector<Element> expected(const EventLanes& events, std::uint32_t lane, std::int64_t base,
                              int level) {
  const std::int64_t step = std::int64_t{1} << level;
  const std::int64_t unit = std::max<std::int64_t>(1, step / 16);
  const std::int64_t end = base + 1024 * step;
  const auto units = [&](std::int64_t time) {
    return static_cast<std::uint32_t>((std::clamp(time, base, end) - base) / unit);
  };
  std::vector<Element> result;
  std::int64_t last_step = -1;
  std::int64_t first_start = 0;
  for (std::size_t i = events.begin(lane); i < events.end(lane); ++i) {
    const std::int64_t from = events.start(i);
    const std::int64_t to = events.end_of(i);
    if (from >= end || (from < base && to <= base)) continue;
    const bool narrow = to - from < step;
    const std::int64_t in_step = (std::max(from, base) - base) / step;
    if (narrow && last_step == in_step) {
      Element& last = result.back();
      last.width = units(to) - units(first_start);
      last.longest = std::max(last.longest, to - from);
      last.goes_on = to > end;
      ++last.events;
      continue;
    }
    result.push_back({units(from), units(to) - units(from), 1, to - from, from<base, to> end});
    last_step = narrow ? in_step : -1;
    first_start = from;
  }
  return result;
}

std::vector<Element> found(const EventLanes& events, const EventTile& tile, std::uint32_t lane) {
  std::vector<Element> result;
  for (std::size_t i = 0; i < tile.start.size(); ++i) {
    if (tile.lane[i] != lane) continue;
    const std::size_t index = *events.find(0, tile.id[i]);
    EXPECT_EQ(tile.name[i], events.name(index));
    EXPECT_EQ((tile.flags[i] & 1) != 0, tile.events[i] > 1);
    result.push_back({tile.start[i], tile.width[i], tile.events[i], events.duration(index),
                      (tile.flags[i] & 4) != 0, (tile.flags[i] & 8) != 0});
  }
  return result;
}

TEST(Tile, EventsAtEachLevelAreAsDefined) {
  const auto raw = random_events(20'000, 10'000'000, 20'000, 7);
  const RowData data = data_of(raw);
  std::uint64_t several = 0;
  for (int level = 0; level <= 16; ++level) {
    const std::int64_t size = std::int64_t{1024} << level;
    for (const std::int64_t index : {std::int64_t{-1}, std::int64_t{0}, 3'333'333 / size,
                                     9'999'999 / size, 20'000'000 / size}) {
      const TileReader reader(tile(data, level, index));
      EXPECT_EQ(reader.base(), index * size);
      EXPECT_EQ(reader.lanes(), data.events->lanes());
      const EventTile columns(reader);
      EXPECT_TRUE(std::is_sorted(columns.lane.begin(), columns.lane.end()));
      for (std::uint32_t lane = 0; lane < data.events->lanes(); ++lane)
        EXPECT_EQ(found(*data.events, columns, lane),
                  expected(*data.events, lane, index * size, level))
            << "level " << level << " index " << index << " lane " << lane;
      for (const std::uint32_t events : columns.events) several += events > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(several, 100U);
}

TEST(Tile, EventsOfAllTilesTogetherAreAllEvents) {
  const auto raw = random_events(5000, 1'000'000, 2, 8);  // none is in two tiles
  const RowData data = data_of(raw, Layout::kInstants);
  for (const int level : {0, 3, 6, 9, 12}) {
    std::uint64_t events = 0;
    for (std::int64_t index = 0; index <= 1'000'000 / (std::int64_t{1024} << level); ++index)
      for (const std::uint32_t each : EventTile(TileReader(tile(data, level, index))).events)
        events += each;
    EXPECT_EQ(events, raw.size()) << level;
  }
}

TEST(Tile, HeaderSaysWhatItIs) {
  RowData data = data_of({{0, 10, 1, 2, 0, 0, 0}});
  const TileReader reader(tile(data, 4, 0));
  EXPECT_EQ(reader.row(), 5U);
  EXPECT_EQ(reader.version(), 3U);
  EXPECT_EQ(reader.level(), 4);
  EXPECT_EQ(reader.flags(), 0U);
  data.exact = false;
  EXPECT_EQ(TileReader(tile(data, 4, 0)).flags(), 1U);
}

TEST(Tile, FlagsOfEvents) {
  auto lanes = std::make_shared<const EventLanes>(test::lay_out({{100, 200, 1, 0, 0, 3, 0},
                                                                 {300, 300, 1, 1, 0, 0, kInstant},
                                                                 {400, 500, 1, 2, 0, 0, kOpenEnd}},
                                                                Layout::kFirstFit));
  RowData data = data_of(lanes);
  auto bits = std::make_shared<EventBits>(3);
  bits->set(0);
  data.linked = bits;
  const EventTile columns{TileReader(tile(data, 0, 0))};
  EXPECT_EQ(columns.flags, (std::vector<std::uint16_t>{0x310, 0x20, 0x02}));
  EXPECT_EQ(columns.width, (std::vector<std::uint32_t>{100, 0, 100}));
}

TEST(Tile, ImpossibleTimesAndLevels) {
  constexpr std::int64_t kMaximum = std::int64_t{1} << 61;
  const RowData data =
      data_of({{-kMaximum, kMaximum, 1, 0, 0, 0, 0}, {kMaximum, kMaximum, 1, 1, 0, 0, 0}});
  for (const int level : {0, 30, 51, 52})
    for (const std::int64_t index : {-1, 0}) {
      const EventTile columns{TileReader(tile(data, level, index))};
      ASSERT_GE(columns.start.size(), 1U);
      EXPECT_EQ(columns.width[0] > 0, true) << level;
    }
}

std::map<std::int64_t, double> random_samples(std::size_t count) {
  std::mt19937_64 random(1);
  std::map<std::int64_t, double> samples;
  while (samples.size() < count)
    samples[static_cast<std::int64_t>(random() % 1'000'000)] = static_cast<double>(random() % 1000);
  return samples;
}

TEST(Tile, ValuesAtEachLevelAreAsDefined) {
  const auto samples = random_samples(5000);
  std::vector<std::vector<Sample>> series(2);
  for (const auto& [time, value] : samples) series[1].push_back({time, value});
  RowData data;
  data.counter = std::make_shared<const CounterLanes>(std::move(series));
  for (int level = 0; level <= 12; ++level)
    for (const std::int64_t index : {0, 7, 1000}) {
      const std::int64_t base = index * (std::int64_t{1024} << level);
      const std::int64_t unit = level < 4 ? 1 : std::int64_t{1} << (level - 4);
      struct Value {
        double min, max, last;
        std::uint32_t start;
      };
      std::map<std::int64_t, Value> steps;
      const auto before = samples.lower_bound(base);
      if (before != samples.begin()) {
        const double value = std::prev(before)->second;
        steps[-1] = {value, value, value, 0};
      }
      for (auto at = before;
           at != samples.end() && at->first < base + (std::int64_t{1024} << level); ++at) {
        const std::int64_t step = (at->first - base) >> level;
        const auto start = static_cast<std::uint32_t>((at->first - base) / unit);
        const auto [known, is_new] =
            steps.try_emplace(step, Value{at->second, at->second, at->second, start});
        if (is_new) continue;
        known->second.min = std::min(known->second.min, at->second);
        known->second.max = std::max(known->second.max, at->second);
        known->second.last = at->second;
      }
      const ValueTile columns{TileReader(tile(data, level, index))};
      ASSERT_EQ(columns.start.size(), steps.size());
      std::size_t i = 0;
      for (const auto& [step, value] : steps) {
        EXPECT_EQ(columns.min[i], value.min);
        EXPECT_EQ(columns.max[i], value.max);
        EXPECT_EQ(columns.last[i], value.last);
        EXPECT_EQ(columns.start[i], value.start);
        EXPECT_EQ(columns.lane[i++], 1);
      }
    }
}

TEST(Tile, DensityHasTheBusyShareOfEachStep) {
  auto lanes = std::make_shared<const EventLanes>(
      test::lay_out({{0, 100, 4, 0, 0, 0, 0}, {50, 60, 5, 1, 0, 0, 0}, {512, 528, 6, 2, 0, 0, 0}},
                    Layout::kFirstFit));
  RowData data;
  data.exact = true;
  data.density = std::make_shared<const Density>(std::vector{lanes});
  const DensityTile columns{TileReader(tile(data, 5, 0))};  // steps of 32 ns, units of 2 ns
  EXPECT_EQ(columns.start, (std::vector<std::uint32_t>{0, 48, 256}));
  EXPECT_EQ(columns.width, (std::vector<std::uint32_t>{48, 16, 16}));
  EXPECT_EQ(columns.name, (std::vector<std::uint32_t>{4, 4, 6}));
  EXPECT_EQ(columns.busy, (std::vector<float>{1, 0.125F, 0.5F}));
}

TEST(Tile, RowWithoutDataIsAnEmptyDensity) {
  EXPECT_EQ(DensityTile(TileReader(tile({}, 10, 0))).start.size(), 0U);
}

}  // namespace

}  // namespace prof::timeline
