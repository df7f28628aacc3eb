#include "exporters/ranks/collectives/job_collectives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exporters/ranks/collectives/matching.hpp"

namespace prof::ranks {
namespace {

// A job whose ranks are on machines with wrong clocks. `bytes` of a call has its true number, which
// is not read when calls are matched.
class MadeJob {
 public:
  MadeJob(std::size_t ranks, std::size_t operations, std::uint64_t seed, double lost = 0)
      : random_(seed), arrivals(operations, std::vector<std::int64_t>(ranks)), parts(ranks) {
    std::uniform_real_distribution<double> chance;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      offsets_.push_back(static_cast<std::int64_t>(random_() % 100'000'000));
      add_rank(rank);
    }
    std::int64_t time = 1'000'000'000;
    for (std::size_t number = 0; number < operations; ++number) {
      time += 2'000'000 + static_cast<std::int64_t>(random_() % 3'000'000);
      const bool is_broadcast = number % 5 == 3;
      const std::int64_t end = time + 1'500'000;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::int64_t arrival = time + static_cast<std::int64_t>(random_() % 1'000'000);
        arrivals[number][rank] = arrival;
        if (chance(random_) >= lost) add_call(rank, number, arrival, end, is_broadcast);
      }
    }
  }

  CallSequence& sequence(std::size_t rank) { return parts[rank].calls.sequences.front(); }
  JobCollectives match() {
    for (ReportPart& part : parts) add_sequences(part.calls, part.clock);
    return match_job(parts);
  }

 private:
  void add_rank(std::size_t rank) {
    parts[rank].ranks.push_back({{"", static_cast<std::int64_t>(rank), "node", ""}, 0, {}, {}});
    parts[rank].clock.node = "node" + std::to_string(rank);
    CallSequence sequence;
    sequence.communicator = "/0";
    sequence.operations = {"AllReduce", "Broadcast"};
    parts[rank].calls.sequences.push_back(sequence);
  }
  void add_call(std::size_t rank, std::size_t number, std::int64_t arrival, std::int64_t end,
                bool is_broadcast) {
    if (is_broadcast) end -= static_cast<std::int64_t>(random_() % 400'000);
    const std::int64_t off = offsets_[rank];
    sequence(rank).calls.push_back({arrival + off - 5'000, arrival + off, arrival + off, end + off,
                                    static_cast<std::int64_t>(number), 0, 0,
                                    is_broadcast ? 7U : number % 2, is_broadcast ? 1U : 0U,
                                    !is_broadcast});
  }

  std::mt19937_64 random_;
  std::vector<std::int64_t> offsets_;

 public:
  std::vector<std::vector<std::int64_t>> arrivals;  // by operation and rank
  std::vector<ReportPart> parts;
};

// The number of calls that were matched. Each must be matched with calls of its operation.
std::size_t matched_calls(const JobCollectives& job) {
  std::size_t count = 0;
  for (const MatchedCommunicator& communicator : job.communicators)
    for (const MatchedCollective& each : communicator.collectives) {
      std::set<std::int64_t> numbers;
      for (const MatchedCall& call : each.calls) numbers.insert(job.call(call).bytes);
      EXPECT_EQ(numbers.size(), 1U);
      count += each.calls.size();
    }
  return count;
}

TEST(JobCollectivesTest, AllRanksOfAnOperationAreMatched) {
  MadeJob made(5, 100, 1);
  const JobCollectives job = made.match();
  ASSERT_EQ(job.communicators.size(), 1U);
  EXPECT_EQ(job.communicators[0].collectives.size(), 100U);
  EXPECT_EQ(job.communicators[0].unmatched, 0U);
  EXPECT_EQ(matched_calls(job), 500U);
}

TEST(JobCollectivesTest, LostEventsAreLeftOutAndNothingIsGuessed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MadeJob made(6, 300, seed, 0.01);
    std::size_t recorded = 0;
    for (std::size_t rank = 0; rank < 6; ++rank) recorded += made.sequence(rank).calls.size();
    const JobCollectives job = made.match();
    ASSERT_EQ(job.communicators.size(), 1U);
    const std::size_t matched = matched_calls(job);
    EXPECT_EQ(matched + job.communicators[0].unmatched, recorded);
    EXPECT_GT(matched, recorded * 97 / 100);
  }
}

TEST(JobCollectivesTest, ARankMayBeginLater) {
  MadeJob made(4, 200, 3);
  auto& calls = made.sequence(2).calls;
  calls.erase(calls.begin(), calls.begin() + 57);
  const JobCollectives job = made.match();
  EXPECT_EQ(matched_calls(job), 4U * 200 - 57);
  EXPECT_EQ(job.communicators[0].collectives.size(), 200U);
}

TEST(JobCollectivesTest, WaitsAreTheDifferencesOfArrivals) {
  MadeJob made(4, 60, 4);
  const JobCollectives job = made.match();
  std::size_t seen = 0;
  for (const MatchedCollective& each : job.communicators[0].collectives) {
    if (!job.call(each.calls.front()).ends_together) continue;
    ++seen;
    const auto found = arrivals_of(job, each);
    ASSERT_TRUE(found);
    const auto& truth = made.arrivals[static_cast<std::size_t>(job.call(each.calls[0]).bytes)];
    const auto last = std::ranges::max_element(truth);
    EXPECT_EQ(found->last, static_cast<std::size_t>(last - truth.begin()));
    for (std::size_t rank = 0; rank < truth.size(); ++rank)
      EXPECT_EQ(found->waits[rank], *last - truth[rank]);
  }
  EXPECT_EQ(seen, 48U);
}

// The ranks are on one machine. Each operation ends on rank 2 up to 1 ms later than on the others.
MadeJob with_late_ends() {
  MadeJob made(3, 60, 9);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    made.parts[rank].clock.node = "node";
    made.parts[rank].clock.machine = events::MachineClock{"boot", 0};
    auto& calls = made.sequence(rank).calls;
    made.sequence(rank).source = CallSource::kPayloads;
    const std::int64_t off = calls.front().start - made.arrivals.front()[rank];
    for (RankCall& each : calls)
      for (std::int64_t* time : {&each.call_start, &each.call_end, &each.start, &each.end})
        *time -= off;
    if (rank == 2)
      for (RankCall& each : calls) each.end += each.bytes * 7'919 % 17 * 60'000;
  }
  return made;
}

TEST(JobCollectivesTest, CallsThatOverlapMatchInTheirOrderWhateverTheirEndsAre) {
  MadeJob made = with_late_ends();
  JobCollectives job = made.match();
  ASSERT_EQ(job.communicators.size(), 1U);
  EXPECT_EQ(job.communicators[0].collectives.size(), 60U);
  EXPECT_EQ(matched_calls(job), 180U);

  // One call less: the order says nothing.
  made = with_late_ends();
  made.sequence(2).calls.erase(made.sequence(2).calls.begin() + 20);
  job = made.match();
  EXPECT_LT(matched_calls(job), 179U);
}

TEST(JobCollectivesTest, CallsThatDoNotOverlapAreNotMatchedByTheirOrder) {
  constexpr double kError = 1'000'000;  // ns
  MadeJob made = with_late_ends();
  std::vector<RankCall> a = made.sequence(0).calls;
  std::vector<RankCall> b = made.sequence(2).calls;
  EXPECT_EQ(match_overlapping(a, b, kError).pairs.size(), 60U);
  EXPECT_EQ(match_overlapping(a, b, kError).pairs[7], std::pair(std::size_t{7}, std::size_t{7}));

  // One rank began to record ten operations later, the other one ended ten earlier.
  b.erase(b.begin(), b.begin() + 10);
  EXPECT_TRUE(match_overlapping(a, b, kError).pairs.empty());
  a.erase(a.end() - 10, a.end());
  EXPECT_TRUE(match_overlapping(a, b, kError).pairs.empty());

  b = a;
  b[20].letter += 1;
  EXPECT_TRUE(match_overlapping(a, b, kError).pairs.empty());
}

TEST(JobCollectivesTest, BroadcastsAloneMatchOnlyIfNoneWasLost) {
  MadeJob made(2, 50, 5);
  for (std::size_t rank = 0; rank < 2; ++rank)
    std::erase_if(made.sequence(rank).calls,
                  [](const RankCall& call) { return call.ends_together; });
  EXPECT_EQ(matched_calls(made.match()), 20U);
  made.sequence(1).calls.pop_back();
  EXPECT_EQ(matched_calls(made.match()), 0U);
}

}  // namespace
}  // namespace prof::ranks
