#include "exporters/ranks/delays/job_delays.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "common/base/median.hpp"
#include "exporters/analysis/insight/iterations.hpp"

namespace prof::ranks {

namespace {

constexpr std::size_t kFirstCounts = 5;  // with fewer steps the first one counts, too
constexpr double kTied = 5'000;          // ns: arrivals that are closer have no order

// Returns by how much the last rank came after the one before it, in ns.
double late_of(const Arrivals& arrivals) {
  double least = -1;  // wait
  for (std::size_t i = 0; i < arrivals.waits.size(); ++i) {
    const auto wait = static_cast<double>(arrivals.waits[i]);
    if (i != arrivals.last && (least < 0 || wait < least)) least = wait;
  }
  return least;
}

}  // namespace

JobDelays::JobDelays(const JobCollectives& job)
    : job_(job), slow_(prof::ranks::slow_transfers(job)), ranks_(job.ranks.size()) {
  choose_groups();
  for (std::size_t i = 0; i < groups_.size(); ++i) place(i);
  add_others();
  add_slow_transfers();
  add_up();
}

// Each rank is compared in the largest communicator that it belongs to.
void JobDelays::choose_groups() {
  std::vector<const MatchedCommunicator*> ordered;
  for (const MatchedCommunicator& each : job_.communicators)
    if (!each.collectives.empty()) ordered.push_back(&each);
  std::ranges::stable_sort(ordered, std::greater(), [](const MatchedCommunicator* each) {
    return std::pair(each->sequences.size(), each->collectives.size());
  });
  const std::size_t none = job_.communicators.size();
  group_of_.assign(job_.ranks.size(), none);
  for (const MatchedCommunicator* each : ordered) {
    std::set<std::size_t> ranks;
    for (const std::uint32_t sequence : each->sequences)
      ranks.insert(job_.sequences[sequence].rank);
    bool is_needed = false;
    for (const std::size_t rank : ranks) is_needed |= ranks.size() > 1 && group_of_[rank] == none;
    if (!is_needed) continue;
    for (const std::size_t rank : ranks)
      if (group_of_[rank] == none) group_of_[rank] = groups_.size();
    groups_.push_back({each, {}});
  }
}

// Returns the first rank of a group that has the most steps, or null without steps.
const JobRank* JobDelays::find_steps(std::size_t group) {
  const JobRank* best = nullptr;
  for (std::size_t i = 0; i < job_.ranks.size(); ++i)
    if (group_of_[i] == group &&
        (best == nullptr || job_.ranks[i].times.steps.size() > best->times.steps.size()))
      best = &job_.ranks[i];
  if (best == nullptr || best->times.steps.size() < insight::kMinIterations) return nullptr;
  return best;
}

// An operation belongs to the step in which that rank called it: at the same time another rank may
// still be in an earlier step. Without steps each operation is one. The first one is not: it is not
// known what came before.
void JobDelays::place(std::size_t number) {
  Group& group = groups_[number];
  const auto& collectives = group.communicator->collectives;
  const JobRank* reference = find_steps(number);
  const auto common_end = [&](const MatchedCollective& each) {
    const MatchedCall& call = each.calls.front();
    return job_.alignment.common(job_.sequences[call.sequence].report, job_.call(call).end);
  };
  if (reference == nullptr) {
    for (std::size_t i = 0; i < collectives.size(); ++i)
      group.steps.push_back(i == 0 ? kNoStep : i - 1);
    steps_ = std::max(steps_, collectives.size() - 1);
    elapsed_ = std::max(elapsed_, static_cast<double>(common_end(collectives.back()) -
                                                      common_end(collectives.front())));
    return;
  }
  const auto& steps = reference->times.steps;
  const std::size_t first = steps.size() < kFirstCounts ? 0 : 1;
  std::size_t step = kNoStep;
  for (const MatchedCollective& each : collectives) {
    for (const MatchedCall& call : each.calls) {
      if (&job_.ranks[job_.sequences[call.sequence].rank] != reference) continue;
      const std::int64_t time = job_.call(call).call_start;
      const auto next = std::ranges::upper_bound(steps, time, {}, &insight::Interval::start);
      const auto place = static_cast<std::size_t>(next - steps.begin());
      step = place <= first || time >= steps.back().end ? kNoStep : place - 1 - first;
    }
    group.steps.push_back(step);
  }
  steps_ = std::max(steps_, steps.size() - first);
  elapsed_ = std::max(elapsed_, static_cast<double>(steps.back().end - steps[first].start));
  std::vector<std::int64_t> lengths;
  for (std::size_t i = first; i < steps.size(); ++i) lengths.push_back(steps[i].length());
  std::ranges::sort(lengths);
  median_ = std::max(median_, static_cast<double>(lengths[lengths.size() / 2]));
}

// A rank that is slow need not be late in the largest communicator: in a pipeline the others come
// late, too, because they wait for its messages. Then it is late in a smaller one.
void JobDelays::add_others() {
  others_.resize(ranks_.size());
  for (const MatchedCommunicator& communicator : job_.communicators)
    for (const MatchedCollective& each : communicator.collectives) {
      const auto arrivals = arrivals_of(job_, each);
      if (!arrivals) continue;
      for (std::size_t i = 0; i < each.calls.size(); ++i) {
        const std::size_t rank = job_.sequences[each.calls[i].sequence].rank;
        if (group_of_[rank] >= groups_.size() ||
            groups_[group_of_[rank]].communicator == &communicator)
          continue;
        const std::size_t step = step_of(rank, job_.call(each.calls[i]).call_start);
        if (step == kNoStep) continue;
        others_[rank].resize(steps_);
        Other& other = others_[rank][step];
        ++other.operations;
        other.waited += static_cast<double>(arrivals->waits[i]);
        const double late = i == arrivals->last ? late_of(*arrivals) : 0;
        if (late <= kTied) continue;
        ++other.last;
        other.late = std::max(other.late, late);
      }
    }
}

// Calls visit(rank, step, ns) for each call of the transfers that lies in a step.
template <class Visit>
void JobDelays::for_each_excess(const SlowTransfers& transfers, const Visit& visit) const {
  if (steps_ == 0) return;
  const auto& collectives = job_.communicators[transfers.communicator].collectives;
  for (std::size_t i = 0; i < transfers.operations.size(); ++i) {
    const std::size_t operation = transfers.operations[i];
    for (const MatchedCall& each : collectives[operation].calls) {
      const std::size_t rank = job_.sequences[each.sequence].rank;
      const bool has_steps = job_.ranks[rank].times.steps.size() >= insight::kMinIterations;
      const std::size_t step = has_steps ? step_of(rank, job_.call(each).call_start)
                                         : operation * steps_ / collectives.size();
      if (step != kNoStep) visit(rank, step, transfers.excess[i]);
    }
  }
}

std::vector<double> JobDelays::excess_of(const SlowTransfers& transfers, std::size_t rank) const {
  std::vector<double> result(steps_);
  for_each_excess(transfers, [&](std::size_t of, std::size_t step, double excess) {
    if (of == rank) result[step] += excess;
  });
  return result;
}

void JobDelays::add_slow_transfers() {
  for (const SlowTransfers& slow : slow_) {
    if (!slow.is_always_slow) continue;
    transfers_.resize(ranks_.size(), std::vector<double>(steps_));
    for_each_excess(slow, [&](std::size_t rank, std::size_t step, double excess) {
      transfers_[rank][step] += excess;
    });
  }
}

// Returns the step in which a rank is at this time.
std::size_t JobDelays::step_of(std::size_t rank, std::int64_t time) const {
  const auto& steps = job_.ranks[rank].times.steps;
  if (steps.size() < insight::kMinIterations || time >= steps.back().end) return kNoStep;
  const std::size_t first = steps.size() < kFirstCounts ? 0 : 1;
  const auto next = std::ranges::upper_bound(steps, time, {}, &insight::Interval::start);
  const auto place = static_cast<std::size_t>(next - steps.begin());
  return place <= first || place - 1 - first >= steps_ ? kNoStep : place - 1 - first;
}

// Only a rank that has lost time itself is late there: others may have waited for its messages.
void JobDelays::add_other(std::size_t rank, std::size_t step, Share& share) const {
  if (step >= others_[rank].size()) return;
  const Other& other = others_[rank][step];
  double own = 0;
  for (const double delay : share.delays) own += std::max(0.0, delay);
  share.late = std::max(share.late, std::min(other.late, own));
  share.operations += other.operations;
  share.last += other.last;
  const auto& steps = job_.ranks[rank].times.steps;
  const std::size_t first = steps.size() < kFirstCounts ? 0 : 1;
  // Waits in several streams may be at the same time.
  share.waited =
      std::min(share.waited + other.waited,
               std::max(share.waited, static_cast<double>(steps[step + first].length())));
}

void JobDelays::add_operation(const Group& group, std::size_t index, Shares& shares) const {
  const MatchedCollective& collective = group.communicator->collectives[index];
  const auto rank_of = [&](const MatchedCall& call) { return job_.sequences[call.sequence].rank; };
  for (const MatchedCall& call : collective.calls) ++shares[rank_of(call)].operations;
  if (const auto arrivals = arrivals_of(job_, collective)) {
    for (std::size_t i = 0; i < collective.calls.size(); ++i)
      shares[rank_of(collective.calls[i])].waited += static_cast<double>(arrivals->waits[i]);
    if (const double late = late_of(*arrivals); late > kTied) {
      Share& last = shares[rank_of(collective.calls[arrivals->last])];
      ++last.last;
      last.late = std::max(last.late, late);
    }
  }
  if (index == 0) return;
  const auto& before = group.communicator->collectives[index - 1].calls;
  for (const MatchedCall& call : collective.calls) {
    const auto last = std::ranges::lower_bound(before, call.sequence, {}, &MatchedCall::sequence);
    const auto& times = job_.sequences[call.sequence].times;
    if (last == before.end() || last->sequence != call.sequence || last->call + 1 != call.call ||
        times.empty())
      continue;
    Share& share = shares[rank_of(call)];
    ++share.compared;
    for (std::size_t cause = 0; cause < kCauses; ++cause)
      share.delays[cause] += static_cast<double>(times[call.call][cause]);
  }
}

// Subtracts the median of the ranks. A rank that has lost an operation of the step is left out.
void JobDelays::compare(Shares& shares) {
  std::size_t most = 0;
  for (const Share& each : shares) most = std::max(most, each.compared);
  std::vector<Share*> compared;
  for (Share& each : shares)
    if (most > 0 && each.compared == most)
      compared.push_back(&each);
    else
      each.delays = {};
  std::vector<double> times(compared.size());
  for (std::size_t cause = 0; cause < kCauses && !compared.empty(); ++cause) {
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = compared[i]->delays[cause];
    const double median = base::lower_median(times);
    for (Share* each : compared) {
      each->times[cause] = each->delays[cause];
      each->delays[cause] -= median;
    }
  }
}

template <class Visit>
void JobDelays::for_each_step(std::size_t number, Visit visit) const {
  const Group& group = groups_[number];
  Shares shares;
  for (std::size_t i = 0; i < group.steps.size(); ++i) {
    if (group.steps[i] == kNoStep) continue;
    if (shares.empty()) shares.resize(job_.ranks.size());
    add_operation(group, i, shares);
    if (i + 1 < group.steps.size() && group.steps[i + 1] == group.steps[i]) continue;
    compare(shares);
    for (std::size_t rank = 0; rank < shares.size(); ++rank)
      if (group_of_[rank] == number) add_other(rank, group.steps[i], shares[rank]);
    for (std::size_t rank = 0; rank < transfers_.size(); ++rank)
      if (group_of_[rank] == number)
        shares[rank].delays[static_cast<std::size_t>(Cause::kNetwork)] +=
            transfers_[rank][group.steps[i]];
    visit(group.steps[i], shares);
    shares.clear();
  }
}

void JobDelays::add_up() {
  for (std::size_t number = 0; number < groups_.size(); ++number)
    for_each_step(number, [&](std::size_t step, const Shares& shares) {
      const auto latest = std::ranges::max_element(shares, {}, &Share::late);
      for (std::size_t i = 0; i < shares.size(); ++i) {
        if (group_of_[i] != number) continue;
        RankDelay& rank = ranks_[i];
        if (shares[i].late > 0 && &*latest == &shares[i]) ++rank.last_steps;
        rank.operations += shares[i].operations;
        rank.last += shares[i].last;
        rank.waited += shares[i].waited;
        rank.late += shares[i].late;
        if (!transfers_.empty()) rank.transfers += transfers_[i][step];
        for (std::size_t cause = 0; cause < kCauses; ++cause) {
          rank.delays[cause] += shares[i].delays[cause];
          rank.times[cause] += shares[i].times[cause];
        }
      }
    });
  if (groups_.empty()) return;
  const Group& first = groups_.front();
  for (std::size_t i = 0; i < first.steps.size(); ++i)
    if (first.steps[i] != kNoStep)
      if (const auto arrivals = arrivals_of(job_, first.communicator->collectives[i]))
        transfer_ += static_cast<double>(arrivals->transfer);
}

RankSeries JobDelays::series(std::size_t rank) const {
  RankSeries result;
  result.late.resize(steps_);
  for (auto& each : result.delays) each.resize(steps_);
  if (group_of_[rank] >= groups_.size()) return result;
  for_each_step(group_of_[rank], [&](std::size_t step, const Shares& shares) {
    result.late[step] += shares[rank].late;
    for (std::size_t cause = 0; cause < kCauses; ++cause)
      result.delays[cause][step] += shares[rank].delays[cause];
  });
  return result;
}

std::vector<MatchedCall> JobDelays::calls_in(std::size_t rank,
                                             const std::vector<std::size_t>& steps) const {
  std::vector<MatchedCall> result;
  if (group_of_[rank] >= groups_.size()) return result;
  const Group& group = groups_[group_of_[rank]];
  for (std::size_t i = 0; i < group.steps.size(); ++i) {
    if (!std::ranges::binary_search(steps, group.steps[i])) continue;
    for (const MatchedCall& each : group.communicator->collectives[i].calls)
      if (job_.sequences[each.sequence].rank == rank) result.push_back(each);
  }
  return result;
}

std::vector<std::size_t> JobDelays::peers_of(std::size_t rank) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < group_of_.size(); ++i)
    if (group_of_[i] == group_of_[rank]) result.push_back(i);
  return result;
}

}  // namespace prof::ranks
