#include "collector/session/flight/rate_watch.hpp"

#include <gtest/gtest.h>

namespace prof::session {
namespace {

constexpr std::uint64_t kNsInSecond = 1'000'000'000;
constexpr std::uint64_t kBegin = 1000 * kNsInSecond;

// `per_second` events from `begin` on, for `seconds`. Returns how often it fell, checked each 100
// ms.
int run_at(RateWatch& watch, std::uint64_t begin, int per_second, int seconds) {
  int falls = 0;
  for (int i = 0; i < seconds * 10; ++i) {
    const std::uint64_t now = begin + static_cast<std::uint64_t>(i) * kNsInSecond / 10;
    for (int k = 0; k < per_second / 10; ++k) watch.add(now + static_cast<std::uint64_t>(k));
    falls += watch.check(now) ? 1 : 0;
  }
  return falls;
}

TEST(RateWatch, FiresOnceWhenTheRateIsBelowHalfOfTheUsual) {
  RateWatch watch(*parse_trigger("rate:step:<50%"));
  EXPECT_FALSE(watch.check(kBegin));  // nothing has happened yet
  EXPECT_EQ(run_at(watch, kBegin, 100, 30), 0);
  EXPECT_EQ(run_at(watch, kBegin + 30 * kNsInSecond, 70, 20), 0);
  EXPECT_EQ(run_at(watch, kBegin + 50 * kNsInSecond, 20, 20), 1);
  EXPECT_EQ(run_at(watch, kBegin + 70 * kNsInSecond, 100, 20), 0);
  EXPECT_EQ(run_at(watch, kBegin + 90 * kNsInSecond, 0, 20), 1);
}

TEST(RateWatch, SlowIterationsAreMeasuredOverLongerTimes) {
  RateWatch watch(*parse_trigger("rate:step:<0.25/s"));
  int falls = 0;
  for (std::uint64_t s = 0; s < 100; ++s) {
    if (s % 3 == 0) watch.add(kBegin + s * kNsInSecond);
    falls += watch.check(kBegin + s * kNsInSecond) ? 1 : 0;
  }
  EXPECT_EQ(falls, 0);
  for (std::uint64_t s = 100; s < 140; ++s) falls += watch.check(kBegin + s * kNsInSecond) ? 1 : 0;
  EXPECT_EQ(falls, 1);
}

TEST(RateWatch, TimesThatCannotBeDoNotMakeItGrow) {
  RateWatch watch(*parse_trigger("rate:step:<5/s"));
  watch.add(kBegin);
  watch.add(~std::uint64_t{0} / 2);
  EXPECT_FALSE(watch.check(~std::uint64_t{0} / 2));
}

}  // namespace
}  // namespace prof::session
