#include "exporters/ranks/verdict/slow_network.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "exporters/analysis/events/report_views.hpp"
#include "exporters/ranks/delays/network_trouble.hpp"

namespace prof::ranks {

namespace {

constexpr std::size_t kMostReports = 64;   // that are read for one communicator
constexpr std::size_t kMostTransfers = 4;  // kinds of transfers that are looked at
constexpr double kMostThen = 0.75;         // of the lost packets

}  // namespace

insight::Intervals SlowNetwork::times_of(const SlowTransfers& slow, std::size_t rank) const {
  std::vector<insight::Interval> times;
  const auto& collectives = job_.communicators[slow.communicator].collectives;
  for (const std::size_t operation : slow.operations)
    for (const MatchedCall& each : collectives[operation].calls)
      if (job_.sequences[each.sequence].rank == rank)
        times.push_back({job_.call(each).start, job_.call(each).end});
  return insight::merged(std::move(times));
}

base::Result<SlowNetwork::Culprit> SlowNetwork::culprit_of(const SlowTransfers& slow) const {
  Culprit result;
  const auto& sequences = job_.communicators[slow.communicator].sequences;
  for (std::size_t i = 0; i < std::min(kMostReports, sequences.size()); ++i) {
    const std::size_t rank = job_.sequences[sequences[i]].rank;
    const auto reader = report::ReportReader::open(job_.paths[job_.ranks[rank].report]);
    if (!reader) return tl::make_unexpected(reader.error());
    if (const base::Status made = events::make_views(*reader); !made)
      return tl::make_unexpected(made.error());
    const auto trouble = network_trouble(*reader, times_of(slow, rank));
    if (!trouble) return tl::make_unexpected(trouble.error());
    const bool is_worse =
        result.text.empty() ? !trouble->text.empty() : trouble->lost > result.lost;
    if (is_worse)
      result = {rank, trouble->lost, trouble->lost >= kMostThen * trouble->lost_in_all,
                trouble->text};
  }
  return result;
}

base::Status SlowNetwork::add(std::vector<LateRank>& late) const {
  const std::vector<SlowTransfers>& slow = delays_.slow_transfers();
  for (LateRank& each : late) {
    if (!each.transfers) continue;
    const auto culprit = culprit_of(slow[*each.transfers]);
    if (!culprit) return tl::make_unexpected(culprit.error());
    each.trouble = culprit->text;
    if (culprit->lost < 1) continue;
    each.rank = culprit->rank;
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < slow.size(); ++i)
    if (!slow[i].is_always_slow) order.push_back(i);
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t each) { return slow[each].all_excess(); });
  order.resize(std::min(order.size(), kMostTransfers));
  for (const std::size_t number : order) {
    const auto& sequences = job_.communicators[slow[number].communicator].sequences;
    std::optional<LateRank> rank =
        slow_rank(delays_, number, job_.sequences[sequences.front()].rank);
    if (!rank) continue;
    const auto culprit = culprit_of(slow[number]);
    if (!culprit) return tl::make_unexpected(culprit.error());
    if (culprit->lost < 1 || !culprit->is_mostly_then) continue;
    rank->rank = culprit->rank;
    rank->trouble = culprit->text;
    late.push_back(*std::move(rank));
    break;
  }
  std::ranges::stable_sort(late, std::greater(), &LateRank::gain);
  return {};
}

}  // namespace prof::ranks
