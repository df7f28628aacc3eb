#include "exporters/ranks/delays/late_ranks.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace prof::ranks {

namespace {

constexpr double kLeastShare = 0.02;  // of the time
constexpr std::size_t kMost = 8;      // ranks that are looked at

double time_of(const RankDelay& rank, Cause cause) {
  return rank.times[static_cast<std::size_t>(cause)];
}

double time_on_cpu(const RankDelay& rank) {
  double sum = 0;
  for (const Cause cause : {Cause::kSystemCall, Cause::kLaunch, Cause::kCudaCall, Cause::kGarbage,
                            Cause::kPageFaults, Cause::kCode})
    sum += time_of(rank, cause);
  return sum;
}

// True if the rank is last in more steps than by chance.
bool is_persistent(const JobDelays& delays, std::size_t rank) {
  const auto steps = static_cast<double>(delays.steps());
  const auto peers = static_cast<double>(delays.peers_of(rank).size());
  const double least = std::max(0.3, std::min(3 / peers, 0.75));
  constexpr double kFew = 20;  // steps
  const double share = static_cast<double>(delays.ranks()[rank].last_steps) / std::max(steps, 1.0);
  return steps >= kFew ? share >= least : steps >= 5 && share >= std::max(least, 0.75);
}

// True if the rank is last in nearly all of its slow steps, and late by enough in these.
bool is_slow_at_times(const JobDelays& delays, const RankSeries& series,
                      const DelayPattern& pattern) {
  if (pattern.kind == DelayPattern::Kind::kPersistent || pattern.slow.size() < 3) return false;
  std::size_t last = 0;
  double late = 0;
  for (const std::size_t step : pattern.slow) {
    last += series.late[step] > 0 ? 1 : 0;
    late += series.late[step];
  }
  return 10 * last >= 9 * pattern.slow.size() && late >= kLeastShare * delays.elapsed();
}

// Returns the ratio of waits for a CPU to time on a CPU of the other ranks.
double usual_waits(const JobDelays& delays, std::size_t rank) {
  double waits = 0;
  double on_cpu = 0;
  for (const std::size_t peer : delays.peers_of(rank)) {
    if (peer == rank) continue;
    waits += time_of(delays.ranks()[peer], Cause::kNoCpu);
    on_cpu += time_on_cpu(delays.ranks()[peer]);
  }
  return on_cpu > 0 ? waits / on_cpu : 0;
}

LateRank late_rank(const JobDelays& delays, std::size_t rank, const RankSeries& series) {
  const RankDelay& own = delays.ranks()[rank];
  const Cause cause = main_cause(own, usual_waits(delays, rank));
  const auto& of_cause = series.delays[static_cast<std::size_t>(cause)];
  const double delay = own.delays[static_cast<std::size_t>(cause)];
  LateRank result{rank, cause, pattern_of(of_cause), std::max(0.0, delay), own.late, 0, {}, {}};
  for (std::size_t step = 0; step < of_cause.size(); ++step)
    result.gain += std::clamp(of_cause[step], 0.0, series.late[step]);
  return result;
}

// Of the ranks that share slow communicators, the one whose transfers are slow for the longest time
// is the slow one.
void add_slow_ranks(const JobDelays& delays, const JobCollectives& job,
                    std::vector<LateRank>& result) {
  const std::vector<SlowTransfers>& slow = delays.slow_transfers();
  std::vector<double> all(job.ranks.size());
  for (const SlowTransfers& each : slow)
    for (const std::uint32_t sequence : job.communicators[each.communicator].sequences)
      if (each.is_always_slow) all[job.sequences[sequence].rank] += each.all_excess();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < slow.size(); ++i)
    if (slow[i].is_always_slow) order.push_back(i);
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t each) { return slow[each].all_excess(); });
  std::set<std::size_t> named;
  for (const std::size_t number : order) {
    const auto& sequences = job.communicators[slow[number].communicator].sequences;
    std::size_t worst = job.sequences[sequences.front()].rank;
    bool is_named = false;
    for (const std::uint32_t sequence : sequences) {
      const std::size_t rank = job.sequences[sequence].rank;
      is_named |= named.contains(rank);
      if (all[rank] > all[worst]) worst = rank;
    }
    if (is_named) continue;
    if (const auto rank = slow_rank(delays, number, worst)) {
      result.push_back(*rank);
      named.insert(worst);
    }
  }
}

}  // namespace

Cause main_cause(const RankDelay& rank, double usual_waits) {
  auto delays = rank.delays;
  delays[static_cast<std::size_t>(Cause::kNetwork)] -= rank.transfers;
  double& waits = delays[static_cast<std::size_t>(Cause::kNoCpu)];
  waits = std::min(waits, time_of(rank, Cause::kNoCpu) - usual_waits * time_on_cpu(rank));
  return static_cast<Cause>(std::ranges::max_element(delays) - delays.begin());
}

std::vector<LateRank> late_ranks(const JobDelays& delays, const JobCollectives& job) {
  std::vector<std::size_t> order(delays.ranks().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t rank) { return delays.ranks()[rank].late; });
  order.resize(std::min(order.size(), kMost));
  std::vector<LateRank> result;
  for (const std::size_t rank : order) {
    if (delays.ranks()[rank].late < kLeastShare * delays.elapsed()) break;
    const RankSeries series = delays.series(rank);
    const LateRank late = late_rank(delays, rank, series);
    if (late.gain < kLeastShare / 2 * delays.elapsed()) continue;
    if (is_persistent(delays, rank) || is_slow_at_times(delays, series, late.pattern))
      result.push_back(late);
  }
  add_slow_ranks(delays, job, result);
  std::ranges::stable_sort(result, std::greater(), &LateRank::gain);
  return result;
}

std::optional<LateRank> slow_rank(const JobDelays& delays, std::size_t transfers,
                                  std::size_t rank) {
  const std::vector<double> excess = delays.excess_of(delays.slow_transfers()[transfers], rank);
  const double sum = std::accumulate(excess.begin(), excess.end(), 0.0);
  if (sum < kLeastShare * delays.elapsed()) return std::nullopt;
  return LateRank{rank, Cause::kNetwork, pattern_of(excess), sum, sum, sum, transfers, {}};
}

}  // namespace prof::ranks
