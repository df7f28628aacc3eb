#include "exporters/ranks/delays/delay_pattern.hpp"

#include <gtest/gtest.h>

namespace prof::ranks {
namespace {

using Kind = DelayPattern::Kind;

std::vector<double> noise(std::size_t steps) {
  std::vector<double> delays;
  for (std::size_t i = 0; i < steps; ++i) delays.push_back(static_cast<double>(i * 7 % 11) - 5);
  return delays;
}

TEST(DelayPatternTest, EveryFifthStep) {
  std::vector<double> delays = noise(60);
  for (std::size_t i = 4; i < 60; i += 5) delays[i] = 1000;
  const DelayPattern pattern = pattern_of(delays);
  EXPECT_EQ(pattern.kind, Kind::kPeriodic);
  EXPECT_EQ(pattern.slow.size(), 12U);
  EXPECT_EQ(text_of(pattern), "in every 5th step");
  // One of them may be missing.
  delays[24] = 0;
  EXPECT_EQ(text_of(pattern_of(delays)), "in every 5th step");
}

TEST(DelayPatternTest, EveryStep) {
  std::vector<double> delays = noise(60);
  for (double& each : delays) each += 100;
  const DelayPattern pattern = pattern_of(delays);
  EXPECT_EQ(pattern.kind, Kind::kPersistent);
  EXPECT_EQ(text_of(pattern), "in every step");
}

TEST(DelayPatternTest, SomeSteps) {
  std::vector<double> delays = noise(60);
  for (const std::size_t step : {3U, 10U, 11U, 40U}) delays[step] = 1000;
  const DelayPattern pattern = pattern_of(delays);
  EXPECT_EQ(pattern.kind, Kind::kRandom);
  EXPECT_EQ(pattern.slow, (std::vector<std::size_t>{3, 10, 11, 40}));
  EXPECT_EQ(text_of(pattern), "in 4 of 60 steps");
}

TEST(DelayPatternTest, NothingIsNotPersistent) {
  EXPECT_NE(pattern_of(noise(60)).kind, Kind::kPersistent);
  EXPECT_NE(pattern_of({}).kind, Kind::kPersistent);
}

}  // namespace
}  // namespace prof::ranks
