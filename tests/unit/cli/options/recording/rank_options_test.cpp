#include "cli/options/recording/rank_options.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cli/messages/failure.hpp"

namespace prof::cli {
namespace {

constexpr RankPlace kRank9{9, 16, 1, 8, 1};

std::optional<bool> has(const char* ranks, const RankPlace& place) {
  return RankSelection(ranks).has(place);
}

TEST(RankOptions, NumbersIntervalsAndMultiples) {
  EXPECT_EQ(has("9", kRank9), true);
  EXPECT_EQ(has("0,8-9", kRank9), true);
  EXPECT_EQ(has("0,10-15", kRank9), false);
  EXPECT_EQ(has("%3", kRank9), true);
  EXPECT_EQ(has("%2", kRank9), false);
  EXPECT_EQ(has("all", kRank9), true);
}

TEST(RankOptions, LastRankLocalRanksAndNodes) {
  EXPECT_EQ(has("last", kRank9), false);
  EXPECT_EQ(has("last", RankPlace{15, 16, 7, 8, 1}), true);
  EXPECT_EQ(has("local:1", kRank9), true);
  EXPECT_EQ(has("local:last", kRank9), false);
  EXPECT_EQ(has("local:%8", kRank9), false);
  EXPECT_EQ(has("node:1", kRank9), true);
  EXPECT_EQ(has("node:0,3", kRank9), false);
}

TEST(RankOptions, WhatALauncherDoesNotGiveIsNotDecided) {
  const RankPlace rank_alone{.rank = 9, .size = {}, .local_rank = {}, .local_size = {}, .node = {}};
  EXPECT_EQ(has("0", RankPlace{}), std::nullopt);
  EXPECT_EQ(has("last", rank_alone), std::nullopt);
  EXPECT_EQ(has("local:0", rank_alone), std::nullopt);
  EXPECT_EQ(has("0,last", rank_alone), std::nullopt);
  EXPECT_EQ(has("9,last", rank_alone), true);
  EXPECT_EQ(has("8", rank_alone), false);
}

TEST(RankOptions, WrongSelectionsAreRefused) {
  for (const char* wrong : {"", ",", "x", "-1", "3-", "-3", "9-8", "%0", "%", "local:", "node:last",
                            "local:x", "1 2", "99999999999999999999"})
    EXPECT_THROW(RankSelection{wrong}, Failure) << wrong;
}

}  // namespace
}  // namespace prof::cli
