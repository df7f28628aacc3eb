#include "exporters/analysis/claims/gate.hpp"

#include <gtest/gtest.h>

#include <random>

namespace prof::claims {

namespace {

constexpr double kSpread = 0.012;  // of the times of a noisy program

std::vector<double> runs(std::mt19937& generator, double time, std::size_t count) {
  std::normal_distribution<double> noise(1, kSpread);
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(time * noise(generator));
  return times;
}

// Returns how many of 100 pairs of five runs a side fail "duration > +3%".
int failures(double slowdown) {
  const auto gate = parse_gate("duration > +3%");
  std::mt19937 generator(49);
  int failed = 0;
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> base = runs(generator, 1e9, 5);
    const std::vector<double> now = runs(generator, 1e9 * slowdown, 5);
    failed += fails(*gate, change_of(base, now)) ? 1 : 0;
  }
  return failed;
}

bool fails_with(const char* text, std::vector<double> base, std::vector<double> now) {
  const auto gate = parse_gate(text);
  EXPECT_TRUE(gate) << gate.error().message;
  return gate && fails(*gate, change_of(base, now));
}

}  // namespace

TEST(Gates, NoiseIsNotASlowdown) { EXPECT_LE(failures(1), 3); }

TEST(Gates, ASlowdownOfFivePercentIsFound) { EXPECT_GE(failures(1.05), 95); }

TEST(Gates, HaveConditions) {
  EXPECT_TRUE(fails_with("time > +5%", {100}, {106}));
  EXPECT_FALSE(fails_with("time > +5%", {100}, {104}));
  EXPECT_TRUE(fails_with("time < -5%", {100}, {90}));
  EXPECT_TRUE(fails_with("count(call('fsync')) > base", {3}, {4}));
  EXPECT_FALSE(fails_with("count(call('fsync')) > base", {3}, {3}));
  EXPECT_TRUE(fails_with("time > 1ms", {1}, {2e6}));
  EXPECT_TRUE(fails_with("time > +5% and > 1ms", {1e6}, {2e6}));
  EXPECT_FALSE(fails_with("time > +5% and > 1ms", {100}, {200}));
  EXPECT_TRUE(fails_with("time > +5%", {0}, {1}));
}

TEST(Gates, AreRefusedWithTheirFault) {
  for (const char* text : {"time", "time > +5", "time > + 5ms", "time > 5", "time +5%", "x > +5%",
                           "time > +5% and", "time between 1ms and 2ms"})
    EXPECT_FALSE(parse_gate(text)) << text;
}

TEST(Gates, TheIntervalIsTheSameEachTime) {
  const std::vector<double> base = {100, 101, 99, 100.5, 98};
  const std::vector<double> now = {110, 112, 109, 111, 108};
  const Change first = change_of(base, now);
  ASSERT_TRUE(first.interval);
  EXPECT_EQ(first.interval, change_of(base, now).interval);
  EXPECT_LT(first.interval->first, first.relative);
  EXPECT_GT(first.interval->second, first.relative);
  EXPECT_GT(first.resolution(), 0);
  EXPECT_FALSE(change_of(std::span(base).first(2), now).interval);
}

}  // namespace prof::claims
