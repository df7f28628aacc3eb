#include "exporters/ranks/delays/late_ranks.hpp"

#include <gtest/gtest.h>

namespace prof::ranks {
namespace {

std::size_t number(Cause cause) { return static_cast<std::size_t>(cause); }

// A rank that computes 400 ns longer than the others, and waits 600 ns longer for a CPU.
RankDelay busy_rank() {
  RankDelay rank;
  rank.times[number(Cause::kCode)] = 500;
  rank.delays[number(Cause::kCode)] = 400;
  rank.times[number(Cause::kNoCpu)] = 700;
  rank.delays[number(Cause::kNoCpu)] = 600;
  return rank;
}

TEST(LateRanksTest, WaitsForACpuAreACauseIfOthersDoNotWait) {
  EXPECT_EQ(main_cause(busy_rank(), 0), Cause::kNoCpu);
  EXPECT_EQ(main_cause(busy_rank(), 0.5), Cause::kNoCpu);
}

TEST(LateRanksTest, WaitsForACpuComeFromTheCodeIfOthersWaitAsOften) {
  EXPECT_EQ(main_cause(busy_rank(), 1), Cause::kCode);
  EXPECT_EQ(main_cause(busy_rank(), 2), Cause::kCode);
}

TEST(LateRanksTest, OtherCausesAreNotChanged) {
  RankDelay rank = busy_rank();
  rank.delays[number(Cause::kSleep)] = 650;
  EXPECT_EQ(main_cause(rank, 0), Cause::kSleep);
  EXPECT_EQ(main_cause(rank, 2), Cause::kSleep);
}

}  // namespace
}  // namespace prof::ranks
