#include "collector/spool/clock_model.hpp"

#include <gtest/gtest.h>

namespace prof::spool {
namespace {

// 2.5 ticks a ns, starting at tick 1000 and 5 s of monotonic time.
ClockTriple at(std::int64_t ns, double rate = 2.5) {
  return {1000 + static_cast<std::uint64_t>(static_cast<double>(ns) * rate), 5'000'000'000 + ns, 0};
}

TEST(ClockModel, InterpolatesBetweenTriples) {
  const ClockTriple triples[] = {at(0), at(1'000'000'000)};
  const ClockModel model(triples, 1e9);
  EXPECT_EQ(model.to_ns(1000), 0);
  EXPECT_NEAR(static_cast<double>(model.to_ns(1000 + 2'500)), 1000, 1);
  EXPECT_EQ(model.end(), 1'000'000'000);
}

TEST(ClockModel, ExtrapolatesAtBothEnds) {
  const ClockTriple triples[] = {at(0), at(1'000'000'000)};
  const ClockModel model(triples, 1e9);
  EXPECT_NEAR(static_cast<double>(model.to_ns(500)), -200, 1);
  EXPECT_NEAR(static_cast<double>(model.to_ns(at(2'000'000'000).ticks)), 2e9, 2);
}

TEST(ClockModel, FollowsAChangeOfRate) {
  ClockTriple later = at(1'000'000'000);
  later.ticks += 3'000'000'000;  // the next second ticks faster
  later.monotonic += 1'000'000'000;
  const ClockTriple triples[] = {at(0), at(1'000'000'000), later};
  const ClockModel model(triples, 1e9);
  EXPECT_NEAR(static_cast<double>(model.to_ns(at(1'000'000'000).ticks + 1'500'000'000)), 1.5e9, 2);
}

TEST(ClockModel, IsMonotonicInAnyOrderOfQuestions) {
  std::vector<ClockTriple> triples;
  for (int i = 0; i < 50; ++i)
    triples.push_back(
        {static_cast<std::uint64_t>(i) * 2'500'000'017 + (i % 3), i * 1'000'000'000LL, 0});
  const ClockModel model(triples, 1e9);
  std::int64_t previous = -1;
  for (std::uint64_t ticks = 0; ticks < 120'000'000'000; ticks += 777'777'777) {
    const std::int64_t ns = model.to_ns(ticks);
    EXPECT_GE(ns, previous);
    EXPECT_EQ(model.to_ns(0), model.to_ns(0));  // moves the hint back
    previous = ns;
  }
}

TEST(ClockModel, LivesWithBadTriples) {
  EXPECT_EQ(ClockModel({}, 2e9).to_ns(2000), 1000);
  const ClockTriple one[] = {at(0)};
  EXPECT_EQ(ClockModel(one, 2e9).to_ns(3000), 1000);
  const ClockTriple backwards[] = {at(1'000'000), at(0), at(2'000'000)};
  EXPECT_NEAR(static_cast<double>(ClockModel(backwards, 1e9).to_ns(at(2'000'000).ticks)), 1e6, 1);
}

TEST(Clocks, AreReadTogether) {
  const ClockTriple a = read_clocks(true);
  const ClockTriple b = read_clocks(true);
  EXPECT_LE(a.ticks, b.ticks);
  EXPECT_LE(a.monotonic, b.monotonic);
  const ClockTriple raw = read_clocks(false);
  EXPECT_EQ(raw.ticks, static_cast<std::uint64_t>(raw.monotonic));
}

}  // namespace
}  // namespace prof::spool
