#include "exporters/ranks/collectives/job_collectives.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "exporters/ranks/collectives/matching.hpp"

namespace prof::ranks {

namespace {

constexpr std::size_t kMostGroups = 16;  // that a sequence without an identity is compared with

// Ranks that take part in the same operations. All times are on the common clock.
class Group {
 public:
  Group(std::uint32_t sequence, std::vector<RankCall> calls) : calls_(std::move(calls)) {
    sequences_.push_back(sequence);
    for (std::uint32_t i = 0; i < calls_.size(); ++i) members_.push_back({{sequence, i}});
  }

  // Returns false if the sequence does not belong here.
  bool add(std::uint32_t sequence, const std::vector<RankCall>& calls, bool has_identity,
           const std::optional<ExpectedDifference>& expected) {
    Matching matching = match_calls(calls_, calls, expected);
    // The ends of a communicator's operation may differ by more than those of its neighbours.
    if (has_identity && expected && matching.pairs.size() < calls.size())
      if (Matching in_order = match_overlapping(calls_, calls, expected->error);
          !in_order.pairs.empty())
        matching = std::move(in_order);
    const bool matches = !matching.pairs.empty() && matching.pairs.size() >= matching.unmatched / 2;
    if (!matches && !has_identity) return false;
    sequences_.push_back(sequence);
    for (const auto& [i, j] : matching.pairs)
      members_[i].push_back({sequence, static_cast<std::uint32_t>(j)});
    if (matching.pairs.size() < calls.size()) insert(sequence, calls, matching);
    return true;
  }

  MatchedCommunicator take() {
    MatchedCommunicator result;
    result.sequences = std::move(sequences_);
    for (auto& each : members_)
      if (each.size() < 2)
        ++result.unmatched;
      else
        result.collectives.push_back({std::move(each)});
    return result;
  }

 private:
  // Adds the calls that the ranks before have not got.
  void insert(std::uint32_t sequence, const std::vector<RankCall>& calls,
              const Matching& matching) {
    std::vector<RankCall> all;
    std::vector<std::vector<MatchedCall>> members;
    std::size_t i = 0;
    std::size_t j = 0;
    const auto advance = [&](std::size_t end_i, std::size_t end_j) {
      while (i < end_i || j < end_j) {
        const bool is_old = j >= end_j || (i < end_i && calls_[i].end <= calls[j].end);
        all.push_back(is_old ? calls_[i] : calls[j]);
        if (is_old)
          members.push_back(std::move(members_[i++]));
        else
          members.push_back({{sequence, static_cast<std::uint32_t>(j++)}});
      }
    };
    for (const auto& [at, other] : matching.pairs) {
      advance(at, other);
      advance(at + 1, other);
      j = other + 1;
    }
    advance(calls_.size(), calls.size());
    calls_ = std::move(all);
    members_ = std::move(members);
  }

  std::vector<std::uint32_t> sequences_;
  std::vector<RankCall> calls_;  // one of each operation
  std::vector<std::vector<MatchedCall>> members_;
};

class JobMatcher {
 public:
  explicit JobMatcher(std::vector<ReportPart> parts) : parts_(std::move(parts)) {}

  JobCollectives match(const CommonClock& clock) {
    align(clock);
    take_sequences();
    std::map<std::string, std::vector<std::uint32_t>> communicators;
    for (std::uint32_t i = 0; i < job_.sequences.size(); ++i)
      communicators[job_.sequences[i].of.communicator].push_back(i);
    for (auto& [name, sequences] : communicators) match(sequences);
    match_messages();
    return std::move(job_);
  }

 private:
  // A rank: of a job, with its attempt. Without a number each process is one.
  using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::size_t, std::int64_t>;

  void align(const CommonClock& clock) {
    if (clock.is_known()) {
      std::vector<std::string> paths;
      for (const ReportPart& part : parts_) paths.push_back(part.path);
      job_.machines = clock.machines();
      job_.alignment = clock.alignment(paths);
      return;
    }
    std::vector<ReportClock> clocks;
    for (ReportPart& part : parts_) clocks.push_back(std::move(part.clock));
    job_.machines = estimate_clocks(clocks);
    job_.alignment = Alignment(job_.machines);
  }

  void take_sequences() {
    std::map<Key, JobRank> ranks;
    std::vector<Key> keys;          // of the sequences
    std::vector<Key> message_keys;  // of the messages
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      ReportPart& part = parts_[i];
      job_.paths.push_back(part.path);
      job_.without_kernel += part.calls.without_kernel;
      job_.unknown_messages += part.messages.unknown;
      part.times.calls.resize(part.calls.sequences.size());
      for (std::size_t k = 0; k < part.calls.sequences.size(); ++k) {
        CallSequence& each = part.calls.sequences[k];
        keys.push_back(add_rank(ranks, i, each.place, each.global_pid));
        job_.sequences.push_back({i, 0, std::move(each), std::move(part.times.calls[k])});
      }
      for (MessageSequence& each : part.messages.sequences) {
        message_keys.push_back(add_rank(ranks, i, each.place, each.global_pid));
        job_.messages.push_back({i, 0, std::move(each)});
      }
    }
    std::map<Key, std::size_t> numbers;
    for (auto& [key, rank] : ranks) {
      if (!rank.unit.rank) rank.unit.rank = static_cast<std::int64_t>(job_.ranks.size());
      numbers[key] = job_.ranks.size();
      job_.ranks.push_back(std::move(rank));
    }
    for (std::size_t i = 0; i < keys.size(); ++i) job_.sequences[i].rank = numbers[keys[i]];
    for (std::size_t i = 0; i < message_keys.size(); ++i)
      job_.messages[i].rank = numbers[message_keys[i]];
  }

  Key add_rank(std::map<Key, JobRank>& ranks, std::size_t report, std::size_t place,
               std::int64_t global_pid) {
    ReportPart& part = parts_[report];
    const ReportRank& rank = part.ranks[place];
    const bool has_rank = rank.unit.rank.has_value();
    Key key{rank.unit.job, rank.unit.rank.value_or(0), rank.attempt, has_rank ? 0 : report,
            has_rank ? 0 : global_pid};
    ranks.try_emplace(key, JobRank{report, rank.unit, rank.attempt, global_pid,
                                   part.times.processes[global_pid]});
    return key;
  }

  std::vector<RankCall> common_calls(const JobSequence& sequence) const {
    std::vector<RankCall> calls = sequence.of.calls;
    for (RankCall& each : calls) {
      const std::int64_t duration = each.duration();
      each.end = job_.alignment.common(sequence.report, each.end);
      each.start = each.end - duration;
    }
    return calls;
  }

  std::optional<ExpectedDifference> expected(std::uint32_t sequence) const {
    constexpr double kLeast = 1'000'000;  // ns: times of GPUs differ on one machine, too
    const auto bound = job_.alignment.bound(job_.sequences[sequence].report);
    if (!bound) return std::nullopt;
    return ExpectedDifference{0, *bound + kLeast};
  }

  // The sequence with the most calls comes first, so few are missing in what others compare with.
  void match(std::vector<std::uint32_t>& sequences) {
    std::ranges::stable_sort(sequences, std::ranges::greater(), [&](std::uint32_t each) {
      return job_.sequences[each].of.calls.size();
    });
    std::vector<Group> groups;
    for (const std::uint32_t each : sequences) {
      const std::vector<RankCall> calls = common_calls(job_.sequences[each]);
      const bool has_identity = job_.sequences[each].of.source != CallSource::kKernels;
      const auto limit = std::min(groups.size(), kMostGroups);
      const bool added = std::any_of(
          groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(limit),
          [&](Group& group) { return group.add(each, calls, has_identity, expected(each)); });
      if (!added) groups.emplace_back(each, calls);
    }
    for (Group& group : groups) {
      MatchedCommunicator matched = group.take();
      std::ranges::sort(matched.sequences);
      for (MatchedCollective& collective : matched.collectives)
        std::ranges::sort(collective.calls, {}, &MatchedCall::sequence);
      job_.communicators.push_back(std::move(matched));
    }
  }

  // Matches the messages from one rank to another one in a communicator with one tag.
  void match_messages() {
    using Way = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;
    std::map<Way, std::pair<std::optional<std::uint32_t>, std::optional<std::uint32_t>>> ways;
    for (std::uint32_t i = 0; i < job_.messages.size(); ++i) {
      const MessageSequence& each = job_.messages[i].of;
      auto& [sender, receiver] = ways[{each.communicator, each.is_send ? each.own : each.peer,
                                       each.is_send ? each.peer : each.own, each.tag}];
      auto& side = each.is_send ? sender : receiver;
      if (!side) side = i;
    }
    for (const auto& [way, sides] : ways) {
      if (!sides.first || !sides.second) continue;
      const auto error = clock_error(*sides.first, *sides.second);
      MatchedDirection matched{*sides.first, *sides.second, error.has_value(), {}};
      matched.pairs =
          prof::ranks::match_messages(common_messages(*sides.first), common_messages(*sides.second),
                                      error, !job_.messages[*sides.second].of.has_gaps);
      job_.directions.push_back(std::move(matched));
    }
  }

  std::vector<Message> common_messages(std::uint32_t sequence) const {
    std::vector<Message> messages = job_.messages[sequence].of.messages;
    for (Message& each : messages)
      for (std::int64_t* time : {&each.start, &each.wait_start, &each.end})
        *time = job_.alignment.common(job_.messages[sequence].report, *time);
    return messages;
  }

  // Returns the largest error of the difference of two clocks in ns, or nothing if it is unknown.
  std::optional<double> clock_error(std::uint32_t first, std::uint32_t second) const {
    const std::size_t a = job_.messages[first].report;
    const std::size_t b = job_.messages[second].report;
    constexpr double kOfGpus = 100'000;  // ns: times of GPUs differ on one machine, too
    if (job_.alignment.machine(a) == job_.alignment.machine(b))
      return job_.messages[first].of.source == CallSource::kMpi ? 0 : kOfGpus;
    const auto bound_a = job_.alignment.bound(a);
    const auto bound_b = job_.alignment.bound(b);
    if (!bound_a || !bound_b) return std::nullopt;
    return *bound_a + *bound_b;
  }

  std::vector<ReportPart> parts_;
  JobCollectives job_;
};

// True if the times of all ranks of the operation can be compared.
bool has_common_clock(const JobCollectives& job, const MatchedCollective& collective) {
  const auto report_of = [&](const MatchedCall& call) {
    return job.sequences[call.sequence].report;
  };
  const std::size_t first = job.alignment.machine(report_of(collective.calls.front()));
  return std::ranges::all_of(collective.calls, [&](const MatchedCall& call) {
    return job.alignment.machine(report_of(call)) == first ||
           job.alignment.bound(report_of(call)).has_value();
  });
}

}  // namespace

base::Result<ReportPart> read_part(const report::ReportReader& reader,
                                   const std::vector<ReportRank>& ranks, PartDetails details) {
  ReportPart part;
  part.path = reader.path();
  part.ranks = ranks;
  auto clock = read_report_clock(reader, ranks, false);
  if (!clock) return tl::make_unexpected(clock.error());
  auto calls = read_collective_calls(reader, ranks, CallDetails::kLaunches);
  if (!calls) return tl::make_unexpected(calls.error());
  part.clock = *std::move(clock);
  part.calls = *std::move(calls);
  add_sequences(part.calls, part.clock);
  auto messages = read_messages(reader, ranks, part.calls.nccl_messages);
  if (!messages) return tl::make_unexpected(messages.error());
  part.messages = *std::move(messages);
  part.clock.messages = part.messages.sequences;
  if (details == PartDetails::kCalls || part.calls.sequences.empty()) return part;
  auto times = read_own_times(reader, part.calls);
  if (!times) return tl::make_unexpected(times.error());
  part.times = *std::move(times);
  return part;
}

JobCollectives match_job(std::vector<ReportPart> parts, const CommonClock& clock) {
  return JobMatcher(std::move(parts)).match(clock);
}

std::optional<Arrivals> arrivals_of(const JobCollectives& job,
                                    const MatchedCollective& collective) {
  const std::vector<MatchedCall>& calls = collective.calls;
  // A kernel that ends together with the others tells its wait by its duration, on any clock.
  const bool by_duration = job.call(calls.front()).ends_together &&
                           job.sequences[calls.front().sequence].of.source != CallSource::kMpi;
  if (!by_duration && !has_common_clock(job, collective)) return std::nullopt;
  std::vector<std::int64_t> arrivals;
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const MatchedCall& each : calls) {
    const RankCall& call = job.call(each);
    const std::size_t report = job.sequences[each.sequence].report;
    arrivals.push_back(by_duration ? -call.duration() : job.alignment.common(report, call.start));
    end = std::max(end, by_duration ? 0 : job.alignment.common(report, call.end));
  }
  const auto [first, last] = std::ranges::minmax_element(arrivals);
  Arrivals result;
  result.last = static_cast<std::size_t>(last - arrivals.begin());
  result.skew = *last - *first;
  result.transfer = end - *last;
  for (const std::int64_t each : arrivals) result.waits.push_back(*last - each);
  return result;
}

}  // namespace prof::ranks
