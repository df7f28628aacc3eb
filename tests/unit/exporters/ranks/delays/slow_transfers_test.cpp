#include "exporters/ranks/delays/slow_transfers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "exporters/ranks/delays/late_ranks.hpp"

namespace prof::ranks {
namespace {

constexpr std::int64_t kStepOfTransfers = 1'000'000;  // ns
constexpr int kStepsOfTransfers = 11;
constexpr std::int64_t kUsual = 50'000;

// Pairs of ranks with a communicator each. In each step all come at the same time.
JobCollectives pairs_of(std::size_t pairs, const std::vector<std::string>& nodes,
                        const std::function<std::int64_t(std::size_t pair, int step)>& transfer) {
  std::vector<ReportPart> parts(2 * pairs);
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    ReportPart& part = parts[rank];
    const std::string& node = nodes[rank % nodes.size()];
    part.ranks.push_back({{"", static_cast<std::int64_t>(rank), node, ""}, 0, {}, {}});
    part.clock.node = node;
    CallSequence sequence;
    sequence.communicator = "/pair " + std::to_string(rank / 2);
    sequence.source = CallSource::kPayloads;
    sequence.operations = {"AllReduce"};
    for (int step = 0; step < kStepsOfTransfers; ++step) {
      const std::int64_t start = step * kStepOfTransfers + 400'000;
      sequence.calls.push_back({start - 5'000, start - 4'000, start,
                                start + transfer(rank / 2, step), 64, 0, 0, 1, 0, true});
      part.times.processes[0].steps.push_back(
          {step * kStepOfTransfers, (step + 1) * kStepOfTransfers});
    }
    part.calls.sequences.push_back(sequence);
    part.times.calls.emplace_back(sequence.calls.size());
  }
  return match_job(std::move(parts));
}

TEST(SlowTransfersTest, ACommunicatorIsComparedWithOthers) {
  const JobCollectives job =
      pairs_of(4, {"node"}, [](std::size_t pair, int) { return pair == 2 ? 4 * kUsual : kUsual; });
  const std::vector<SlowTransfers> slow = slow_transfers(job);
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_TRUE(slow[0].is_always_slow);
  EXPECT_EQ(slow[0].name, "AllReduce");
  EXPECT_EQ(slow[0].transfer, 4 * kUsual);
  EXPECT_EQ(slow[0].usual, kUsual);
  // The first operation does not count.
  EXPECT_EQ(slow[0].operations.size(), kStepsOfTransfers - 1U);
  EXPECT_EQ(slow[0].all_excess(), 3.0 * kUsual * (kStepsOfTransfers - 1));
}

TEST(SlowTransfersTest, ARankOfASlowCommunicatorIsNotLateButItsNetworkIsSlow) {
  const JobCollectives job =
      pairs_of(3, {"node"}, [](std::size_t pair, int) { return pair == 1 ? 4 * kUsual : kUsual; });
  const JobDelays delays(job);
  const std::vector<LateRank> late = late_ranks(delays, job);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].rank, 2U);
  EXPECT_EQ(late[0].cause, Cause::kNetwork);
  EXPECT_TRUE(late[0].transfers.has_value());
  EXPECT_EQ(late[0].delay, 3.0 * kUsual * (kStepsOfTransfers - 1));
  EXPECT_EQ(delays.ranks()[2].transfers, late[0].delay);
  EXPECT_EQ(delays.ranks()[2].late, 0);
  EXPECT_EQ(delays.ranks()[0].transfers, 0);
}

// Links between nodes are slower than links within one.
TEST(SlowTransfersTest, OnlyCommunicatorsOfAsManyNodesAreCompared) {
  const JobCollectives job =
      pairs_of(4, {"a", "a", "b", "b", "c", "c", "a", "b"},
               [](std::size_t pair, int) { return pair == 3 ? 9 * kUsual : kUsual; });
  EXPECT_TRUE(slow_transfers(job).empty());
}

TEST(SlowTransfersTest, TwoCommunicatorsDoNotSayWhichOneIsUsual) {
  EXPECT_TRUE(slow_transfers(pairs_of(2, {"node"}, [](std::size_t pair, int) {
                return pair == 1 ? 4 * kUsual : kUsual;
              })).empty());
}

TEST(SlowTransfersTest, OperationsAreSlowAtTimes) {
  const JobCollectives job = pairs_of(
      1, {"node"}, [](std::size_t, int step) { return step % 5 == 0 ? 6 * kUsual : kUsual; });
  const std::vector<SlowTransfers> slow = slow_transfers(job);
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_FALSE(slow[0].is_always_slow);
  EXPECT_EQ(slow[0].operations, (std::vector<std::size_t>{5, 10}));
  EXPECT_EQ(slow[0].all_excess(), 10.0 * kUsual);
  // Without counters of the network nothing says that it is the reason.
  EXPECT_TRUE(late_ranks(JobDelays(job), job).empty());
}

}  // namespace
}  // namespace prof::ranks
