#include "exporters/ranks/clocks/clocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "exporters/ranks/clocks/network.hpp"
#include "exporters/ranks/collectives/matching.hpp"

namespace prof::ranks {
namespace {

// Machines whose clocks are wrong by known amounts, and the ends of their operations.
class SimulatedJob {
 public:
  SimulatedJob(std::size_t machines, std::uint64_t seed, std::string communicator = "a")
      : random_(seed), communicator_(std::move(communicator)), reports(machines) {
    for (std::size_t i = 0; i < machines; ++i) {
      offsets.push_back(std::round(part_(random_) * 50e6));
      drifts.push_back(part_(random_) * 20e-6);
      for (double& bias : biases_.emplace_back(kKinds)) bias = noise_(random_) * 8'000;
      reports[i].node = "node" + std::to_string(i);
    }
  }

  void run(std::size_t operations) {
    for (ReportClock& each : reports) each.sequences.push_back({communicator_, {}});
    double time = 1e9;
    for (std::size_t number = 0; number < operations; ++number) {
      time += 75e6 * (1 + 0.3 * part_(random_));
      if (number == 0) first = time;
      last = time;
      for (std::size_t i = 0; i < reports.size(); ++i) {
        const bool is_late = (part_(random_) + 1) / 2 < 0.02;
        const double end =
            time + biases_[i][number % kKinds] + noise_(random_) * 1'000 + (is_late ? 200'000 : 0);
        reports[i].sequences.back().ends.push_back(
            {std::llround(local(i, end)), 100'000, number % kKinds + 1});
      }
    }
  }

  // Small messages from each machine to the next one and back, of which many come late.
  void send(std::size_t messages) {
    constexpr double kLatency = 5'000;
    for (std::size_t i = 0; i + 1 < reports.size(); ++i)
      for (const bool is_back : {false, true}) {
        const std::size_t from = is_back ? i + 1 : i;
        const std::size_t to = is_back ? i : i + 1;
        MessageSequence sent, received;
        sent.communicator = received.communicator = "messages";
        sent.is_send = true;
        sent.own = received.peer = static_cast<std::int64_t>(from);
        sent.peer = received.own = static_cast<std::int64_t>(to);
        for (std::size_t number = 0; number < messages; ++number) {
          const double time = 1e9 + 75e6 * static_cast<double>(number);
          const double part = (part_(random_) + 1) / 2;
          const double arrival = time + kLatency - 15'000 * std::log(1 - part * 0.999);
          sent.messages.push_back(message(from, time, time + 3'000));
          received.messages.push_back(message(to, time - 100'000, arrival));
          first = number == 0 && first == 0 ? time : first;
          last = std::max(last, time);
        }
        reports[from].messages.push_back(std::move(sent));
        reports[to].messages.push_back(std::move(received));
      }
  }

  double local(std::size_t i, double time) const { return time * (1 + drifts[i]) + offsets[i]; }
  double error(const std::vector<MachineEstimate>& found, std::size_t i) const {
    return error(found, i, (first + last) / 2);
  }
  double error(const std::vector<MachineEstimate>& found, std::size_t i, double time) const {
    return std::abs(common(found, i, time) - common(found, 0, time));
  }
  // A reading of each wall clock, which is right within the error.
  void read_walls(std::int64_t max_error) {
    for (std::size_t i = 0; i < reports.size(); ++i)
      for (const double time : {first, last})
        reports[i].readings.push_back(
            {std::llround(local(i, time)), std::llround(time) + kEpoch, max_error, true});
  }

  static constexpr std::size_t kKinds = 8;
  static constexpr std::int64_t kEpoch = 1'790'000'000'000'000'000;

 private:
  Message message(std::size_t i, double start, double end) const {
    const std::int64_t begin = std::llround(local(i, start));
    return {begin, begin, std::llround(local(i, end)), 8, 0, 0};
  }
  double common(const std::vector<MachineEstimate>& found, std::size_t i, double when) const {
    const double time = local(i, when);
    return time + found[i].offset + found[i].drift * (time - found[i].middle);
  }

  std::mt19937_64 random_;
  std::string communicator_;
  std::uniform_real_distribution<double> part_{-1, 1};
  std::normal_distribution<double> noise_;
  std::vector<std::vector<double>> biases_;

 public:
  std::vector<ReportClock> reports;
  std::vector<double> offsets;
  std::vector<double> drifts;
  double first = 0;
  double last = 0;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TEST(Clocks, ErrorsAreBelowTheirBounds) {
  std::vector<double> errors, bounds;
  double within = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulatedJob job(64, seed);
    job.run(300);
    const auto found = estimate_clocks(job.reports);
    for (std::size_t i = 1; i < found.size(); ++i) {
      ASSERT_EQ(found[i].evidence, Evidence::kCollectives);
      errors.push_back(job.error(found, i));
      bounds.push_back(*found[i].bound);
      within += errors.back() <= bounds.back() ? 1 : 0;
    }
  }
  EXPECT_GE(within, 0.99 * static_cast<double>(errors.size()));
  EXPECT_LE(median(errors), 10'000);
  EXPECT_LE(median(bounds), 5 * median(errors));
}

TEST(Clocks, OfTwoMachinesTheBiasesAreLessWellKnown) {
  int within = 0;
  constexpr int kSeeds = 400;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimulatedJob job(2, seed);
    job.run(100);
    const auto found = estimate_clocks(job.reports);
    within += job.error(found, 1) <= found[1].bound.value_or(0) ? 1 : 0;
  }
  EXPECT_GE(within, 0.98 * kSeeds);
}

TEST(Clocks, MessagesInBothDirectionsBoundTheError) {
  std::vector<double> bounds, bounds_without;
  int within = 0;
  constexpr int kSeeds = 200;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimulatedJob job(2, seed);
    job.run(300);
    bounds_without.push_back(estimate_clocks(job.reports)[1].bound.value_or(0));
    job.send(300);
    const auto found = estimate_clocks(job.reports);
    EXPECT_EQ(found[1].evidence, Evidence::kCollectives);
    EXPECT_EQ(found[1].messages, 600U);
    bounds.push_back(found[1].bound.value_or(0));
    within += job.error(found, 1) <= bounds.back() ? 1 : 0;
  }
  EXPECT_GE(within, 0.99 * kSeeds);
  EXPECT_LT(median(bounds), 0.9 * median(bounds_without));
}

TEST(Clocks, MessagesCompareMachinesWithoutCollectives) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulatedJob job(4, seed);  // a chain: only neighbours send to one another
    job.send(200);
    const auto found = estimate_clocks(job.reports);
    for (std::size_t i = 1; i < found.size(); ++i) {
      ASSERT_EQ(found[i].evidence, Evidence::kMessages);
      EXPECT_LE(job.error(found, i), found[i].bound.value_or(0));
      EXPECT_LT(found[i].bound.value_or(1e9), 40'000);
    }
  }
}

TEST(Clocks, AMessageWhoseEndIsUnknownBoundsNothing) {
  SimulatedJob job(2, 3);
  job.run(100);
  const auto before = estimate_clocks(job.reports);
  job.send(100);
  for (ReportClock& each : job.reports)
    for (MessageSequence& sequence : each.messages)
      for (Message& message : sequence.messages) {
        message.is_end_known = sequence.is_send;
        if (!sequence.is_send) message.end = message.start + 10;
      }
  const auto found = estimate_clocks(job.reports);
  EXPECT_EQ(found[1].messages, 0U);
  EXPECT_EQ(found[1].bound, before[1].bound);
  EXPECT_EQ(found[1].offset, before[1].offset);
}

TEST(Clocks, MessagesThatContradictOneAnotherDoNotCount) {
  SimulatedJob job(2, 4);
  job.run(100);
  const auto before = estimate_clocks(job.reports);
  job.send(100);
  for (ReportClock& each : job.reports)
    for (MessageSequence& sequence : each.messages)
      if (!sequence.is_send)
        for (Message& message : sequence.messages) message.end -= 10'000'000;
  const auto found = estimate_clocks(job.reports);
  EXPECT_NEAR(found[1].bound.value_or(0), before[1].bound.value_or(0), 1);
  EXPECT_NEAR(found[1].offset, before[1].offset, 1);
}

TEST(Clocks, TenOperationsSayLessOfTheDrift) {
  std::vector<double> errors, bounds;
  double within = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulatedJob job(64, seed);
    job.run(10);
    const auto found = estimate_clocks(job.reports);
    for (std::size_t i = 1; i < found.size(); ++i) {
      errors.push_back(std::max(job.error(found, i, job.first), job.error(found, i, job.last)));
      bounds.push_back(found[i].bound.value_or(0));
      within += errors.back() <= bounds.back() ? 1 : 0;
    }
  }
  EXPECT_GE(within, 0.99 * static_cast<double>(errors.size()));
  EXPECT_LE(median(bounds), 6 * median(errors));
}

TEST(Clocks, LostAndEarlierOperationsAreNotMatched) {
  SimulatedJob job(2, 7);
  job.run(400);
  auto& ends = job.reports[1].sequences[0].ends;
  ends.erase(ends.begin() + 200);
  ends.erase(ends.begin(), ends.begin() + 13);
  const auto found = estimate_clocks(job.reports);
  EXPECT_EQ(found[1].matched, 386U);
  EXPECT_EQ(found[1].unmatched, 1U);
  EXPECT_LE(job.error(found, 1), *found[1].bound);
}

TEST(Clocks, CallsOfMpiAreMatchedByTheirOrder) {
  SimulatedJob job(3, 11);
  job.run(200);
  std::mt19937_64 random(1);
  for (ReportClock& each : job.reports) {
    each.sequences[0].is_mpi = true;
    // The processes run again when they get a CPU.
    for (CollectiveEnd& end : each.sequences[0].ends)
      end.end += static_cast<std::int64_t>(random() % 4'000'000);
  }
  auto found = estimate_clocks(job.reports);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(found[i].evidence, Evidence::kCollectives);
    EXPECT_EQ(found[i].unmatched, 0U);
    EXPECT_LE(job.error(found, i), *found[i].bound);
    EXPECT_LE(*found[i].bound, 2'000'000);
    EXPECT_LE(std::abs(found[i].drift), 1e-4);
  }
  // Without a call of another operation their order says nothing, and their ends differ too much.
  job.reports[2].sequences[0].ends.pop_back();
  found = estimate_clocks(job.reports);
  EXPECT_EQ(found[1].evidence, Evidence::kCollectives);
  EXPECT_EQ(found[2].evidence, Evidence::kNone);
}

TEST(Clocks, AMachineWithoutCollectivesHasTheErrorOfTheWallClocks) {
  SimulatedJob job(3, 3);
  job.run(200);
  job.read_walls(400'000);
  job.reports[2].sequences.clear();
  const auto found = estimate_clocks(job.reports);
  EXPECT_EQ(found[1].evidence, Evidence::kCollectives);
  EXPECT_EQ(found[2].evidence, Evidence::kWallClock);
  EXPECT_GE(*found[2].bound, 800'000);
  EXPECT_LE(job.error(found, 2), *found[2].bound);
}

TEST(Clocks, AMachineThatNothingConnectsHasNoBound) {
  SimulatedJob job(3, 3);
  job.run(200);
  job.read_walls(400'000);
  job.reports[2].sequences.clear();
  for (WallReading& each : job.reports[2].readings) each.is_synchronized = false;
  const auto found = estimate_clocks(job.reports);
  EXPECT_EQ(found[2].evidence, Evidence::kNone);
  EXPECT_FALSE(found[2].bound);
}

TEST(Clocks, OtherJobsAreNotMatched) {
  SimulatedJob job(2, 1), other(2, 2);
  job.run(300);
  other.run(300);  // in a communicator of the same name
  job.reports.insert(job.reports.end(), other.reports.begin(), other.reports.end());
  const auto found = estimate_clocks(job.reports);
  EXPECT_EQ(found[1].evidence, Evidence::kCollectives);
  EXPECT_LE(job.error(found, 1), *found[1].bound);
  EXPECT_EQ(found[2].evidence, Evidence::kNone);
  EXPECT_EQ(found[3].evidence, Evidence::kNone);
}

TEST(Clocks, AWallClockThatIsSetIsFoundAndDoesNotMatter) {
  SimulatedJob job(2, 5);
  job.run(200);
  job.read_walls(1'000'000);
  job.reports[1].readings.back().realtime += 40'000'000;
  const auto found = estimate_clocks(job.reports);
  ASSERT_EQ(found[1].steps.size(), 1U);
  EXPECT_NEAR(static_cast<double>(found[1].steps[0].size), 40e6, 1e6);
  EXPECT_TRUE(found[0].steps.empty());
  EXPECT_LE(job.error(found, 1), *found[1].bound);
  EXPECT_NEAR(*found[1].wall_offset, 40e6, 1e6);
}

TEST(Clocks, ReportsOfOneMachineShareItsClock) {
  std::vector<ReportClock> reports(3);
  reports[0].machine = {"boot", 5'000};
  reports[1].machine = {"boot", 9'000};
  reports[2].machine = {"other", 1};
  const auto found = estimate_clocks(reports);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].reports, (std::vector<std::size_t>{0, 1}));
}

TEST(Clocks, ComparisonsInACircleAreBalanced) {
  const auto found = solve(4, {{0, 1, 10, 1}, {1, 2, 10, 1}, {0, 2, 26, 1}});
  EXPECT_NEAR(found[1].value, 12, 1e-6);
  EXPECT_NEAR(found[2].value, 24, 1e-6);
  EXPECT_NEAR(found[2].closure, 2, 1e-6);
  EXPECT_EQ(found[2].part, found[0].part);
  EXPECT_NE(found[3].part, found[0].part);
}

}  // namespace
}  // namespace prof::ranks
