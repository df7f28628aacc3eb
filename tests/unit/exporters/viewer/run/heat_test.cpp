#include "exporters/viewer/run/heat.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace prof::view {
namespace {

using ranks::RankState;

ranks::RankPicture picture(std::int64_t begin,
                           std::vector<std::pair<RankState, std::int64_t>> parts) {
  ranks::StateTimes times;
  for (const auto& [state, length] : parts) {
    times[static_cast<std::size_t>(state)].push_back({begin, begin + length});
    begin += length;
  }
  return ranks::picture_of({times});
}

// Two reports of one machine, of which the second one began 1,000 ns later.
RunState two_ranks() {
  auto ranks = std::make_shared<RunRanks>();
  std::vector<ranks::ReportClock> clocks(2);
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    clocks[i].machine = events::MachineClock{"boot", static_cast<std::int64_t>(1000 * i)};
    ranks->reports.push_back({"r" + std::to_string(i) + ".db", {}});
  }
  ranks->alignment = ranks::Alignment(ranks::estimate_clocks(clocks));
  ranks->ranks.push_back(
      {{"", 0, "n", ""}, 0, 0, picture(0, {{RankState::kCompute, 1000}, {RankState::kCpu, 2000}})});
  ranks->ranks.push_back({{"", 1, "n", ""}, 0, 1, picture(0, {{RankState::kCommunication, 2000}})});
  RunState state;
  state.ranks = ranks;
  return state;
}

TEST(HeatTest, RanksAreOnOneClock) {
  const RunState state = two_ranks();
  EXPECT_EQ(span_of(state), (insight::Interval{0, 3000}));
  EXPECT_EQ(state.common(1, 500), 1500);
  EXPECT_EQ(state.of_report(1, 1500), 500);
  const Heat heat = heat_of(state, static_cast<std::size_t>(RankState::kCommunication));
  EXPECT_EQ(heat.start, 0);
  EXPECT_EQ(heat.width, 3);
  ASSERT_EQ(heat.columns, 1000U);
  ASSERT_EQ(heat.values.size(), 2000U);
  EXPECT_EQ(heat.values[500], 0);
  EXPECT_EQ(heat.values[1000 + 300], 0);
  EXPECT_EQ(heat.values[1000 + 340], 255);
  EXPECT_EQ(heat.values[1000 + 990], 255);
}

TEST(HeatTest, TheStateWithTheMostTimeIsNamed) {
  const Heat heat = heat_of(two_ranks(), std::nullopt);
  EXPECT_EQ(heat.values[100] >> 4, static_cast<int>(RankState::kCompute) + 1);
  EXPECT_EQ(heat.values[600] >> 4, static_cast<int>(RankState::kCpu) + 1);
  EXPECT_EQ(heat.values[1000 + 100], 0);
  EXPECT_EQ(heat.values[1000 + 600], (static_cast<int>(RankState::kCommunication) + 1) << 4 | 15);
}

TEST(HeatTest, WaitsAreTakenOutOfCommunication) {
  RunState state = two_ranks();
  auto collectives = std::make_shared<RunCollectives>();
  collectives->parts.resize(2);
  for (const RunRank& each : state.ranks->ranks)
    collectives->wait_shares.emplace_back(each.picture.bins());
  auto& waits = collectives->wait_shares[1];
  std::fill(waits.begin(), waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2), 255);
  state.collectives = collectives;
  const Heat wait = heat_of(state, kWaitState);
  const Heat communication = heat_of(state, static_cast<std::size_t>(RankState::kCommunication));
  EXPECT_EQ(wait.values[1000 + 500], 255);
  EXPECT_EQ(communication.values[1000 + 500], 0);
  EXPECT_EQ(wait.values[1000 + 900], 0);
  EXPECT_EQ(communication.values[1000 + 900], 255);
}

TEST(HeatTest, AJobWithoutEventsHasNoColumns) {
  RunState state;
  state.ranks = std::make_shared<RunRanks>();
  EXPECT_EQ(heat_of(state, std::nullopt).columns, 0U);
  EXPECT_EQ(bytes_of(heat_of(state, std::nullopt)).size(), 40U);
}

}  // namespace
}  // namespace prof::view
