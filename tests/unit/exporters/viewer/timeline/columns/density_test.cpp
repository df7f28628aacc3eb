#include "exporters/viewer/timeline/columns/density.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/exporters/viewer/timeline/random_events.hpp"

namespace prof::timeline {

namespace {

using Rows = std::vector<std::shared_ptr<const EventLanes>>;

Rows rows_of(const std::vector<std::vector<RawEvent>>& all, Layout layout) {
  Rows rows;
  for (const auto& events : all)
    rows.push_back(std::make_shared<const EventLanes>(test::lay_out(events, layout)));
  return rows;
}

// Which ns any event covers, from 0 on.
std::vector<bool> covered(const std::vector<std::vector<RawEvent>>& all, std::int64_t span) {
  std::vector<bool> result(static_cast<std::size_t>(span));
  for (const auto& events : all)
    for (const RawEvent& event : events)
      for (std::int64_t time = std::max<std::int64_t>(event.start, 0);
           time < std::min(event.end, span); ++time)
        result[static_cast<std::size_t>(time)] = true;
  return result;
}

double share(const std::vector<bool>& covered, std::int64_t from, std::int64_t step) {
  double busy = 0;
  for (std::int64_t time = from; time < from + step; ++time)
    if (time >= 0 && time < static_cast<std::int64_t>(covered.size()))
      busy += covered[static_cast<std::size_t>(time)] ? 1 : 0;
  return busy / static_cast<double>(step);
}

TEST(Density, IsTheShareThatAnyEventCovers) {
  constexpr std::int64_t kSpan = 200'000;
  std::vector<std::vector<RawEvent>> all;
  for (unsigned i = 0; i < 5; ++i) all.push_back(test::random_events(300, kSpan, 3000, i));
  const std::vector<bool> busy = covered(all, kSpan + 3000);
  for (const Layout layout : {Layout::kNested, Layout::kFirstFit}) {
    const Density density(rows_of(all, layout));
    EXPECT_EQ(density.busy(), std::count(busy.begin(), busy.end(), true));
    for (const std::int64_t step : {1, 7, 64, 1000}) {
      const auto steps = density.steps(50'000, step, 100);
      for (std::int64_t i = 0; i < 100; ++i)
        EXPECT_NEAR(steps[static_cast<std::size_t>(i)].busy, share(busy, 50'000 + i * step, step),
                    1e-5);
    }
  }
}

TEST(Density, OfManyEventsIsNearlyExactAtEachZoom) {
  // More events than are merged at once: blocks of them are used where a step has many.
  constexpr std::int64_t kSpan = 3'000'000;
  std::vector<std::vector<RawEvent>> all;
  for (unsigned i = 0; i < 4; ++i) all.push_back(test::random_events(25'000, kSpan, 150, i));
  const std::vector<bool> busy = covered(all, kSpan + 150);
  const Density density(rows_of(all, Layout::kFirstFit));
  EXPECT_EQ(density.busy(), std::count(busy.begin(), busy.end(), true));
  for (const std::int64_t step : {16, 256, 2048}) {
    const int count = static_cast<int>(std::min<std::int64_t>(1024, kSpan / step));
    const auto steps = density.steps(0, step, count);
    double sum = 0;
    double expected = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double at = share(busy, i * step, step);
      sum += steps[static_cast<std::size_t>(i)].busy;
      expected += at;
      if (step <= 256) {
        EXPECT_NEAR(steps[static_cast<std::size_t>(i)].busy, at, 1e-4);
      } else {
        EXPECT_NEAR(steps[static_cast<std::size_t>(i)].busy, at, 0.1) << step << " " << i;
      }
    }
    EXPECT_NEAR(sum, expected, expected * 1e-3);
  }
}

TEST(Density, IdleTimeBetweenBurstsStaysIdle) {
  std::vector<RawEvent> events;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const std::int64_t start = (i < 50'010 ? 0 : 1'000'000'000) + std::int64_t{20} * i;
    events.push_back({start, start + 10, 1, i, 0, 0, 0});
  }
  const Density density(rows_of({events}, Layout::kFirstFit));
  const auto steps = density.steps(0, std::int64_t{1} << 20, 1024);
  for (std::size_t i = 2; i < 950; ++i) EXPECT_EQ(steps[i].busy, 0);
  EXPECT_NEAR(steps[0].busy, 500'100.0 / (1 << 20), 1e-3);
}

TEST(Density, NameIsThatOfTheLongestEvent) {
  const Density density(
      rows_of({{{0, 10, 1, 0, 0, 0, 0}, {20, 50, 2, 1, 0, 0, 0}}, {{60, 80, 3, 0, 0, 0, 0}}},
              Layout::kFirstFit));
  EXPECT_EQ(density.steps(0, 100, 1)[0].name, 2U);
  EXPECT_EQ(density.steps(55, 100, 1)[0].name, 3U);
}

TEST(Density, OfASampleIsScaled) {
  const Rows rows = rows_of({{{0, 10, 1, 0, 0, 0, 0}}}, Layout::kFirstFit);
  const Density density(rows, 0.25);
  EXPECT_FALSE(density.is_exact());
  EXPECT_FLOAT_EQ(density.steps(0, 100, 1)[0].busy, 0.4F);
  EXPECT_FLOAT_EQ(density.steps(0, 20, 1)[0].busy, 1.0F);
}

TEST(Density, OfNothing) {
  const Density density({});
  EXPECT_EQ(density.busy(), 0);
  EXPECT_EQ(density.steps(0, 10, 3).size(), 3U);
  EXPECT_EQ(density.steps(0, 10, 3)[1].busy, 0);
}

TEST(Density, ImpossibleTimesDoNotOverflow) {
  constexpr std::int64_t kMaximum = std::int64_t{1} << 61;
  const Density density(
      rows_of({{{-kMaximum, kMaximum, 1, 0, 0, 0, 0}, {kMaximum, kMaximum, 2, 1, 0, 0, 0}}},
              Layout::kFirstFit));
  EXPECT_EQ(density.steps(-kMaximum, std::int64_t{1} << 52, 1024)[0].busy, 1);
}

}  // namespace

}  // namespace prof::timeline
