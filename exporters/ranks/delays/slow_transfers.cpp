#include "exporters/ranks/delays/slow_transfers.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "common/base/median.hpp"

namespace prof::ranks {

namespace {

constexpr double kSlow = 1.5;             // times the usual transfer
constexpr double kSlowAtTimes = 2;        // the same of a single operation
constexpr std::size_t kFewest = 5;        // operations whose median counts
constexpr std::size_t kFewestOthers = 2;  // communicators that say what is usual

// The operations of a kind in one communicator.
struct Transfers {
  std::size_t communicator;
  std::vector<std::size_t> operations;
  std::vector<double> times;  // ns
  double median = 0;
};
// The name and size, the ranks and the nodes of a communicator.
using TransferKind = std::tuple<std::uint64_t, std::size_t, std::size_t>;

std::size_t nodes_of(const JobCollectives& job, const MatchedCommunicator& communicator) {
  std::set<std::string> nodes;
  for (const std::uint32_t each : communicator.sequences)
    nodes.insert(job.ranks[job.sequences[each].rank].unit.node);
  return nodes.size();
}

// The first operation of a communicator also sets up its connections.
std::map<TransferKind, std::vector<Transfers>> transfers_by_kind(const JobCollectives& job) {
  std::map<TransferKind, std::vector<Transfers>> result;
  for (std::size_t number = 0; number < job.communicators.size(); ++number) {
    const MatchedCommunicator& communicator = job.communicators[number];
    const std::size_t nodes = nodes_of(job, communicator);
    for (std::size_t i = 1; i < communicator.collectives.size(); ++i) {
      const MatchedCollective& each = communicator.collectives[i];
      // Without one of its ranks nobody knows when the last one came.
      if (each.calls.size() < communicator.sequences.size()) continue;
      const auto arrivals = arrivals_of(job, each);
      if (!arrivals) continue;
      auto& of_kind =
          result[{job.call(each.calls.front()).letter, communicator.sequences.size(), nodes}];
      if (of_kind.empty() || of_kind.back().communicator != number)
        of_kind.push_back({number, {}, {}});
      of_kind.back().operations.push_back(i);
      of_kind.back().times.push_back(static_cast<double>(arrivals->transfer));
    }
  }
  for (auto& [kind, all] : result) {
    std::erase_if(all, [](const Transfers& each) { return each.times.size() < kFewest; });
    for (Transfers& each : all) {
      std::vector<double> times = each.times;
      each.median = base::lower_median(times);
    }
  }
  return result;
}

SlowTransfers described(const JobCollectives& job, const Transfers& of, double usual) {
  SlowTransfers result;
  result.communicator = of.communicator;
  const MatchedCommunicator& communicator = job.communicators[of.communicator];
  const MatchedCall& call = communicator.collectives[of.operations.front()].calls.front();
  result.name = job.sequences[call.sequence].of.operations[job.call(call).operation];
  result.bytes = job.call(call).bytes;
  result.usual = usual;
  return result;
}

}  // namespace

double SlowTransfers::all_excess() const {
  return std::accumulate(excess.begin(), excess.end(), 0.0);
}

std::vector<SlowTransfers> slow_transfers(const JobCollectives& job) {
  std::vector<SlowTransfers> result;
  for (const auto& [kind, all] : transfers_by_kind(job)) {
    std::vector<double> medians;
    for (const Transfers& each : all) medians.push_back(each.median);
    std::ranges::sort(medians);
    for (const Transfers& each : all) {
      const bool has_others = medians.size() > kFewestOthers;
      // The median of the others is next to the middle of all.
      const std::size_t middle = has_others ? (medians.size() - 2) / 2 : 0;
      const double others =
          medians[has_others && each.median <= medians[middle] ? middle + 1 : middle];
      const bool is_always_slow = has_others && each.median >= kSlow * others;
      SlowTransfers slow = described(job, each, is_always_slow ? others : each.median);
      slow.is_always_slow = is_always_slow;
      std::vector<double> times;
      for (std::size_t i = 0; i < each.operations.size(); ++i) {
        const double time = each.times[i];
        if (!is_always_slow && time < kSlowAtTimes * slow.usual) continue;
        slow.operations.push_back(each.operations[i]);
        slow.excess.push_back(std::max(0.0, time - slow.usual));
        times.push_back(time);
      }
      if (times.empty() || slow.all_excess() <= 0) continue;
      slow.transfer = base::lower_median(times);
      result.push_back(std::move(slow));
    }
  }
  return result;
}

}  // namespace prof::ranks
