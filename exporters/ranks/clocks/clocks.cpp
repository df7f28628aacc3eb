#include "exporters/ranks/clocks/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "common/base/median.hpp"
#include "exporters/ranks/clocks/message_bounds.hpp"
#include "exporters/ranks/clocks/network.hpp"
#include "exporters/ranks/clocks/pair_fit.hpp"
#include "exporters/ranks/collectives/matching.hpp"

namespace prof::ranks {

namespace {

constexpr double kDeviations = 3;      // of a bound
constexpr double kUsualWeight = 1;     // degrees of freedom of the usual bias
constexpr double kPooledWeight = 16;   // of what all pairs together say
constexpr std::size_t kLeast = 4;      // matched operations of a pair
constexpr double kWeakVariance = 1e6;  // ns², of what counts only without other comparisons
constexpr double kLeastHalf = 1;       // ns, of a range

// What the wall clock says about a machine's clock, since it was last set.
struct WallClock {
  double ahead = 0;  // ns: realtime - time of the machine, at `time`
  double time = 0;   // ns, of the machine

  double error = 0;  // ns
  bool is_synchronized = false;
};

struct Member {
  std::size_t machine;
  CollectiveSequence sequence;  // on the machine's clock
  const std::vector<CollectiveEnd>& ends() const { return sequence.ends; }
};

struct MatchedPair {
  std::size_t a;  // machines
  std::size_t b;
  const Member* first;
  const Member* second;
  Matching matching;
  PairFit fit = {};
  double usual_bias() const {
    return std::max(first->sequence.usual_bias, second->sequence.usual_bias);
  }
};

// Finds where the wall clock was set: it changed by more than a correction of its rate can.
std::vector<ClockStep> steps_of(const std::vector<WallReading>& readings) {
  constexpr double kLargestRate = 5e-4;  // of the kernel's corrections
  constexpr double kSmallest = 100'000;  // ns
  std::vector<ClockStep> steps;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const std::int64_t passed = readings[i].time - readings[i - 1].time;
    const std::int64_t change = readings[i].realtime - readings[i - 1].realtime - passed;
    if (std::abs(static_cast<double>(change)) >
        kSmallest + 2 * kLargestRate * static_cast<double>(passed))
      steps.push_back({readings[i].time, change});
  }
  return steps;
}

class Estimator {
 public:
  explicit Estimator(const std::vector<ReportClock>& reports) : reports_(reports) {}

  std::vector<MachineEstimate> estimate() {
    if (reports_.empty()) return {};
    find_machines();
    find_wall_clocks();
    find_members();
    compare();
    find_messages();
    align_coarsely();
    fit();
    combine();
    bound_by_messages();
    use_wall_clocks();
    return std::move(machines_);
  }

 private:
  void find_machines() {
    std::map<std::string, std::size_t> machine_of_boot;
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      const auto& clock = reports_[i].machine;
      std::size_t machine = machines_.size();
      if (clock) machine = machine_of_boot.emplace(clock->boot, machine).first->second;
      if (machine == machines_.size()) machines_.emplace_back().node = reports_[i].node;
      machines_[machine].reports.push_back(i);
      machine_of_.push_back(machine);
    }
    for (MachineEstimate& machine : machines_) {
      std::int64_t first = origin_of(machine.reports.front());
      for (const std::size_t report : machine.reports) first = std::min(first, origin_of(report));
      bases_.push_back(first);
      for (const std::size_t report : machine.reports)
        machine.shifts.push_back(origin_of(report) - first);
    }
  }
  std::int64_t origin_of(std::size_t report) const {
    return reports_[report].machine ? reports_[report].machine->origin : 0;
  }
  // What makes a report's times times of its machine.
  std::int64_t shift_of(std::size_t report) const {
    return origin_of(report) - bases_[machine_of_[report]];
  }

  void find_wall_clocks() {
    for (MachineEstimate& machine : machines_) {
      const std::size_t report = machine.reports.front();
      const std::vector<WallReading>& readings = reports_[report].readings;
      const auto shift = static_cast<double>(shift_of(report));
      WallClock wall;
      if (!readings.empty()) {
        machine.steps = steps_of(readings);
        const WallReading& last = readings.back();
        wall.time = static_cast<double>(last.time) + shift;
        wall.ahead = ahead_of(last.realtime, last.time) - shift;
        wall.error = static_cast<double>(last.max_error);
        wall.is_synchronized = last.is_synchronized;
        walls_.emplace_back(wall);
      } else if (reports_[report].utc_start) {
        wall.ahead = ahead_of(*reports_[report].utc_start, 0) - shift;
        walls_.emplace_back(wall);
      } else {
        walls_.emplace_back();
      }
    }
  }
  // Numbers near each other, as doubles cannot hold ns since 1970.
  double ahead_of(std::int64_t realtime, std::int64_t time) {
    if (!epoch_) epoch_ = realtime - time;
    return static_cast<double>(realtime - time - *epoch_);
  }
  void find_members() {
    for (std::size_t report = 0; report < reports_.size(); ++report)
      for (const CollectiveSequence& sequence : reports_[report].sequences) {
        Member member{machine_of_[report], sequence};
        for (CollectiveEnd& each : member.sequence.ends) each.end += shift_of(report);
        members_[sequence.communicator].push_back(std::move(member));
      }
  }

  // Compares each machine of a communicator with the first one and with the one before it.
  void compare() {
    for (const auto& [name, members] : members_) {
      std::map<std::size_t, std::vector<const Member*>> of_machine;
      for (const Member& member : members) of_machine[member.machine].push_back(&member);
      std::vector<const std::vector<const Member*>*> ordered;
      for (const auto& [machine, list] : of_machine) ordered.push_back(&list);
      for (std::size_t i = 1; i < ordered.size(); ++i) {
        compare(*ordered[0], *ordered[i]);
        if (i > 1) compare(*ordered[i - 1], *ordered[i]);
      }
    }
  }
  void compare(const std::vector<const Member*>& a, const std::vector<const Member*>& b) {
    constexpr std::size_t kMost = 4;  // pairs of ranks of two machines
    for (std::size_t i = 0; i < std::min({a.size(), b.size(), kMost}); ++i) {
      const std::size_t first = a[i]->machine;
      const std::size_t second = b[i]->machine;
      Matching matching =
          a[i]->sequence.is_mpi ? match_in_order(a[i]->ends(), b[i]->ends()) : Matching();
      if (matching.pairs.empty())
        matching = match(a[i]->ends(), b[i]->ends(), expected(first, second));
      machines_[second].matched += matching.pairs.size();
      machines_[second].unmatched += matching.unmatched;
      // Sequences of which most does not match are of different communicators.
      if (matching.pairs.size() >= std::max(kLeast, matching.unmatched))
        pairs_.push_back({first, second, a[i], b[i], std::move(matching)});
    }
  }
  std::optional<ExpectedDifference> expected(std::size_t a, std::size_t b) const {
    if (!walls_[a] || !walls_[b] || !walls_[a]->is_synchronized || !walls_[b]->is_synchronized)
      return std::nullopt;
    if (!machines_[a].steps.empty() || !machines_[b].steps.empty()) return std::nullopt;
    return ExpectedDifference{walls_[a]->ahead - walls_[b]->ahead,
                              walls_[a]->error + walls_[b]->error};
  }

  void find_messages() {
    std::vector<MachineMessages> all;
    for (std::size_t report = 0; report < reports_.size(); ++report)
      for (const MessageSequence& sequence : reports_[report].messages) {
        MachineMessages& each = all.emplace_back(MachineMessages{machine_of_[report], sequence});
        for (Message& message : each.sequence.messages) {
          message.start += shift_of(report);
          message.end += shift_of(report);
        }
      }
    messages_ = match_machines(all);
    for (const MessagePair& pair : messages_) {
      machines_[pair.a].messages += pair.from_a.size() + pair.from_b.size();
      machines_[pair.b].messages += pair.from_a.size() + pair.from_b.size();
      if (auto line = line_of(pair)) lines_.push_back({&pair, *line});
    }
  }

  void align_coarsely() {
    std::vector<Comparison> comparisons;
    // Messages only count where no collective operations do.
    for (const auto& [pair, line] : lines_)
      comparisons.push_back({pair->a, pair->b, line.offset, kWeakVariance});
    for (const MatchedPair& pair : pairs_) {
      std::vector<double> differences;
      for (const auto& [i, j] : pair.matching.pairs)
        differences.push_back(
            static_cast<double>(pair.second->ends()[j].end - pair.first->ends()[i].end));
      comparisons.push_back({pair.a, pair.b, base::upper_median(differences), 1});
    }
    coarse_ = solve(machines_.size(), comparisons);
  }

  void fit() {
    constexpr std::size_t kMostEnds = 4096;
    double first = std::numeric_limits<double>::infinity();
    double last = -first;
    for (MatchedPair& pair : pairs_) {
      std::vector<EndDifference> ends;
      const std::size_t stride = pair.matching.pairs.size() / kMostEnds + 1;
      for (std::size_t k = 0; k < pair.matching.pairs.size(); k += stride) {
        const CollectiveEnd& a = pair.first->ends()[pair.matching.pairs[k].first];
        const CollectiveEnd& b = pair.second->ends()[pair.matching.pairs[k].second];
        const double time = static_cast<double>(a.end) - coarse_[pair.a].value;
        ends.push_back({time, static_cast<double>(b.end) - coarse_[pair.b].value - time,
                        pair.first->sequence.is_mpi ? a.letter : kind_of(a, b)});
        first = std::min(first, time);
        last = std::max(last, time);
      }
      pair.fit = fit_pair(ends);
    }
    middle_ = pairs_.empty() ? 0 : (first + last) / 2;
    length_ = pairs_.empty() ? 0 : last - first;
  }
  // The rank that arrives last has the time of the transfer. It tells the size, which the names of
  // kernels do not.
  static std::uint64_t kind_of(const CollectiveEnd& a, const CollectiveEnd& b) {
    const auto shortest =
        static_cast<double>(std::max<std::int64_t>(1, std::min(a.duration, b.duration)));
    return a.letter * 64 + static_cast<std::uint64_t>(std::log2(shortest));
  }

  // A late end among few makes the biases of a pair look large, which says nothing of other pairs.
  double largest_variance(bool of_mpi) const {
    constexpr double kMany = 4;
    std::vector<double> variances;
    for (const MatchedPair& pair : pairs_)
      if (pair.first->sequence.is_mpi == of_mpi && pair.fit.kinds > 1)
        variances.push_back(pair.fit.bias_variance);
    return kMany * base::upper_median(variances);
  }

  // The variance of the mean bias of a pair. One pair has few kinds, so all pairs with operations
  // of the same library count.
  double bias_variance(const MatchedPair& of) const {
    const PairFit& fit = of.fit;
    const double usual = of.usual_bias();
    double freedom = kUsualWeight;
    double squares = kUsualWeight * usual * usual;
    const double most = of.first->sequence.is_mpi ? largest_of_mpi_ : largest_of_nccl_;
    for (const MatchedPair& pair : pairs_) {
      if (pair.first->sequence.is_mpi != of.first->sequence.is_mpi) continue;
      const auto own = static_cast<double>(pair.fit.kinds - 1);
      freedom += own;
      squares += own * std::min(most, pair.fit.bias_variance);
    }
    const double pooled = squares / freedom;
    const auto own = static_cast<double>(fit.kinds - 1);
    const double share = own / (kPooledWeight + own);
    const double variance = (1 - share) * pooled + share * fit.bias_variance;
    // How sure the variance is. All pairs share the biases of the first machine.
    const double of_pool = std::max(1.0, std::min(freedom - kUsualWeight, 4 * own));
    const double of_own = std::max(own, 1.0);
    const double common = 2 * share * (1 - share) * own / freedom / std::sqrt(of_pool * of_own);
    const double unsure = (1 - share) * (1 - share) / of_pool + share * share / of_own + common;
    const double factor = deviations(1 / unsure) / kDeviations;
    return factor * factor * variance / static_cast<double>(fit.kinds);
  }
  // Student's t below which 99.3 % of the absolute values are, at least kDeviations.
  static double deviations(double freedom) {
    const double f = 1 / std::max(freedom, 3.0);
    return std::max(kDeviations, 2.69 + f * (5.54 + f * (10.7 + f * 15.7)));
  }

  void combine() {
    largest_of_nccl_ = largest_variance(false);
    largest_of_mpi_ = largest_variance(true);
    std::vector<Comparison> offsets, drifts;
    std::vector<double> wander(machines_.size(), 0);
    for (const MatchedPair& pair : pairs_) {
      const PairFit& fit = pair.fit;
      const double of_drift = fit.drift_variance;
      const double away = middle_ - fit.middle;
      offsets.push_back({pair.a, pair.b, fit.offset + fit.drift * away,
                         bias_variance(pair) + fit.offset_variance + of_drift * away * away});
      drifts.push_back({pair.a, pair.b, fit.drift, of_drift});
      wander[pair.b] = std::max(wander[pair.b], fit.wander);
    }
    add_lines(offsets, drifts);
    const auto offset = solve(machines_.size(), offsets);
    const auto drift = solve(machines_.size(), drifts);
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      MachineEstimate& machine = machines_[i];
      machine.offset = -coarse_[i].value - offset[i].value;
      machine.drift = -drift[i].value;
      machine.middle = middle_ + coarse_[i].value;
      machine.closure = offset[i].closure;
      const double half = length_ / 2;
      machine.bound = kDeviations * std::sqrt(offset[i].variance + wander[i] * wander[i] +
                                              drift[i].variance * half * half) +
                      offset[i].closure;
      strays_.push_back(kDeviations *
                        std::sqrt(wander[i] * wander[i] + drift[i].variance * half * half));
      machine.evidence = Evidence::kCollectives;
      parts_.push_back(offset[i].part);
    }
    machines_.front().evidence = Evidence::kReference;
    machines_.front().bound = 0;
  }

  // Adds what messages say of pairs of machines that have no collective operations in common.
  void add_lines(std::vector<Comparison>& offsets, std::vector<Comparison>& drifts) {
    for (const auto& [pair, line] : lines_) {
      const bool is_known = std::ranges::any_of(pairs_, [&, of = pair](const MatchedPair& each) {
        return std::minmax(each.a, each.b) == std::minmax(of->a, of->b);
      });
      if (is_known) continue;
      if (pairs_.empty() && length_ == 0) {
        middle_ = line.middle - coarse_[pair->a].value;
        length_ = line.last - line.first;
      }
      const DifferenceRange range = range_of(*pair, line);
      const double half = std::max(kLeastHalf, std::abs(range.most - range.least) / 2);
      const double away = middle_ + coarse_[pair->a].value - line.middle;
      const double of_drift = 2 * half / std::max(1.0, line.last - line.first);
      const double coarse = coarse_[pair->b].value - coarse_[pair->a].value;
      // Each value of the range is possible, so the error covers all of it.
      const auto variance = [](double most) { return most * most / (kDeviations * kDeviations); };
      offsets.push_back({pair->a, pair->b, line.offset + line.drift * away - coarse,
                         variance(half) + variance(of_drift * away)});
      drifts.push_back({pair->a, pair->b, line.drift, variance(of_drift)});
      by_messages_.insert(pair->a);
      by_messages_.insert(pair->b);
    }
  }

  // No message is received before it is sent: moves machines into that range, and lowers their
  // bounds. If messages contradict one another, some were matched wrongly, and none count.
  void bound_by_messages() {
    for (const MatchedPair& pair : pairs_) {
      by_messages_.erase(pair.a);
      by_messages_.erase(pair.b);
    }
    for (const std::size_t each : by_messages_)
      if (each != 0) machines_[each].evidence = Evidence::kMessages;
    constexpr int kRounds = 2;  // also along a chain of machines, in both directions
    for (int round = 0; round < kRounds; ++round)
      for (const MessagePair& pair : messages_) {
        if (parts_[pair.a] != parts_[pair.b]) continue;
        bound(pair, pair.a, pair.b);
        bound(pair, pair.b, pair.a);
      }
  }

  // Bounds the clock of machine `moved` by that of machine `fixed`.
  void bound(const MessagePair& pair, std::size_t fixed, std::size_t moved) {
    if (moved == 0) return;
    const auto common = [&](std::size_t machine, std::int64_t time) {
      const MachineEstimate& of = machines_[machine];
      return static_cast<double>(time) + of.offset +
             of.drift * (static_cast<double>(time) - of.middle);
    };
    // By how much the common times of `moved` may be too early (least) and too late.
    std::vector<MessageBound> at_least, at_most;
    for (const MessageTimes& each : fixed == pair.a ? pair.from_a : pair.from_b)
      at_least.push_back(
          {common(fixed, each.sent), common(fixed, each.sent) - common(moved, each.received)});
    for (const MessageTimes& each : fixed == pair.a ? pair.from_b : pair.from_a)
      at_most.push_back(
          {common(fixed, each.received), common(fixed, each.received) - common(moved, each.sent)});
    auto [least, most] = range_at_all_times(at_least, at_most);
    MachineEstimate& machine = machines_[moved];
    const double unsure = *machines_[fixed].bound + strays_[moved] + strays_[fixed];
    least -= unsure;
    most += unsure;
    if (least > most) return;
    // Messages bound the clock for certain, collective operations in most cases. So the machine
    // moves until the bound covers all that messages allow, if it is large enough for that.
    const double bound = *machine.bound;
    const double move = most - least <= 2 * bound ? std::clamp(0.0, most - bound, least + bound)
                                                  : std::clamp(0.0, least, most);
    machine.offset += move;
    machine.bound = std::min(bound, std::max(most - move, move - least));
  }

  // How far the wall clock is ahead of the common clock.
  double wall_ahead(std::size_t i) const {
    const MachineEstimate& machine = machines_[i];
    return walls_[i]->ahead - machine.offset - machine.drift * (walls_[i]->time - machine.middle);
  }

  // Places the parts that no comparison connects with the first machine, and says how far the wall
  // clocks of the others are wrong.
  void use_wall_clocks() {
    std::map<std::size_t, std::size_t> best;  // machine of a part with the best wall clock
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      if (!walls_[i]) continue;
      const auto [at, is_new] = best.emplace(parts_[i], i);
      const WallClock& other = *walls_[at->second];
      const bool is_better = walls_[i]->is_synchronized != other.is_synchronized
                                 ? walls_[i]->is_synchronized
                                 : walls_[i]->error < other.error;
      if (!is_new && is_better) at->second = i;
    }
    const auto reference = best.find(parts_[0]);
    std::map<std::size_t, double> moves;
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      if (parts_[i] == parts_[0]) continue;
      MachineEstimate& machine = machines_[i];
      machine.evidence = Evidence::kNone;
      const auto own = best.find(parts_[i]);
      const bool is_known = own != best.end() && reference != best.end();
      machine.is_placed = is_known;
      if (is_known && !moves.contains(parts_[i]))
        moves[parts_[i]] = wall_ahead(own->second) - wall_ahead(reference->second);
      if (is_known)
        place(i, own->second, reference->second);
      else
        machine.bound.reset();
    }
    for (const auto& [part, move] : moves)
      for (std::size_t i = 0; i < machines_.size(); ++i)
        if (parts_[i] == part) machines_[i].offset += move;
    for (std::size_t i = 0; i < machines_.size(); ++i)
      if (parts_[i] == parts_[0] && walls_[i] && walls_[0])
        machines_[i].wall_offset = wall_ahead(i) - wall_ahead(0);
  }

  // `own` and `reference`: machines of both parts whose wall clocks are compared.
  void place(std::size_t i, std::size_t own, std::size_t reference) {
    MachineEstimate& machine = machines_[i];
    const WallClock& here = *walls_[own];
    const WallClock& there = *walls_[reference];
    if (!here.is_synchronized || !there.is_synchronized) {
      machine.bound.reset();
      return;
    }
    machine.evidence = Evidence::kWallClock;
    machine.bound = *machine.bound + *machines_[reference].bound + here.error + there.error;
  }

  const std::vector<ReportClock>& reports_;
  std::vector<MachineEstimate> machines_;
  std::vector<std::size_t> machine_of_;          // by report
  std::vector<std::int64_t> bases_;              // by machine: its clock at its time 0
  std::vector<std::optional<WallClock>> walls_;  // by machine
  std::optional<std::int64_t> epoch_;            // ns since 1970 that WallClock::ahead begins at
  std::map<std::string, std::vector<Member>> members_;  // by communicator
  std::vector<MatchedPair> pairs_;
  // What messages between two machines say, if there are some of both directions.
  struct MessageLine {
    const MessagePair* pair;
    DifferenceLine line;
  };

  std::vector<MessagePair> messages_;
  std::vector<MessageLine> lines_;
  std::set<std::size_t> by_messages_;  // machines that only messages compare
  std::vector<double> strays_;         // ns, by machine: the error of a constant drift
  std::vector<ComparedClock> coarse_;  // by machine
  std::vector<std::size_t> parts_;     // by machine
  double middle_ = 0;                  // ns, of the operations, on the first machine's clock
  double largest_of_nccl_ = 0;         // ns², variance of the biases that counts for other pairs
  double largest_of_mpi_ = 0;          // ns²
  double length_ = 0;                  // ns, from the first operation to the last one
};

}  // namespace

std::vector<MachineEstimate> estimate_clocks(const std::vector<ReportClock>& reports) {
  return Estimator(reports).estimate();
}

}  // namespace prof::ranks
