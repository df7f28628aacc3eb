#include "exporters/ranks/delays/job_delays.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "exporters/ranks/delays/late_ranks.hpp"

namespace prof::ranks {
namespace {

constexpr std::int64_t kStep = 1'000'000;  // ns
constexpr std::int64_t kLate = 300'000;
constexpr int kSteps = 8;

// Two replicas of a pipeline of two stages: ranks 0 and 1, ranks 2 and 3. Rank 0 computes longer.
// Rank 1 waits for its messages, so both come late to what the replicas do together. At the end of
// a step all ranks take part in one operation, to which they come at the same time.
class Pipeline {
 public:
  Pipeline() : parts_(4) {
    for (std::size_t rank = 0; rank < parts_.size(); ++rank) add_rank(rank);
    for (int step = 0; step < kSteps; ++step) {
      const std::int64_t time = step * kStep;
      for (const std::size_t rank : {0U, 1U, 2U, 3U}) {
        const std::int64_t arrival = time + 400'000 + (rank < 2 ? kLate : 0);
        add_call(rank, 0, arrival, time + 900'000, 0);
        add_call(rank, 1, time + 950'000, time + 960'000, rank == 0 ? kLate : 0);
      }
    }
  }

  JobCollectives match() { return match_job(parts_); }

 private:
  void add_rank(std::size_t rank) {
    ReportPart& part = parts_[rank];
    part.ranks.push_back({{"", static_cast<std::int64_t>(rank), "node", ""}, 0, {}, {}});
    part.clock.node = "node";
    for (const std::string& communicator :
         {"/stage " + std::to_string(rank % 2), std::string("/all")}) {
      CallSequence sequence;
      sequence.communicator = communicator;
      sequence.source = CallSource::kPayloads;
      sequence.operations = {"AllReduce"};
      part.calls.sequences.push_back(sequence);
    }
    part.times.calls.resize(2);
    for (int step = 0; step < kSteps; ++step)
      part.times.processes[0].steps.push_back({step * kStep, (step + 1) * kStep});
  }

  void add_call(std::size_t rank, std::size_t sequence, std::int64_t start, std::int64_t end,
                std::int64_t own) {
    ReportPart& part = parts_[rank];
    part.calls.sequences[sequence].calls.push_back(
        {start - 5'000, start - 4'000, start, end, 64, 0, 0, 1, 0, true});
    CauseTimes times{};
    times[static_cast<std::size_t>(Cause::kKernels)] = 100'000.F + static_cast<float>(own);
    part.times.calls[sequence].push_back(times);
  }

  std::vector<ReportPart> parts_;
};

TEST(JobDelaysTest, ASlowStageIsLateInItsOwnCommunicator) {
  const JobCollectives job = Pipeline().match();
  const JobDelays delays(job);
  const auto& ranks = delays.ranks();
  ASSERT_EQ(delays.steps(), kSteps - 1U);
  EXPECT_EQ(ranks[0].late, static_cast<double>(kLate) * (kSteps - 1));
  EXPECT_EQ(ranks[0].operations, 2U * (kSteps - 1));
  EXPECT_EQ(ranks[0].last, kSteps - 1U);
  EXPECT_EQ(ranks[1].late, 0);  // it has lost no time itself
  EXPECT_EQ(ranks[1].last, kSteps - 1U);
  EXPECT_EQ(ranks[2].waited, static_cast<double>(kLate) * (kSteps - 1));
}

TEST(JobDelaysTest, ASlowStageIsTheLateRankOfItsJob) {
  const JobCollectives job = Pipeline().match();
  const std::vector<LateRank> late = late_ranks(JobDelays(job), job);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].rank, 0U);
  EXPECT_EQ(late[0].cause, Cause::kKernels);
  EXPECT_EQ(late[0].gain, static_cast<double>(kLate) * (kSteps - 1));
}

}  // namespace
}  // namespace prof::ranks
