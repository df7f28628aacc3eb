#include "exporters/ranks/collectives/rank_tables.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/tables/percent.hpp"
#include "exporters/ranks/delays/job_delays.hpp"
#include "exporters/ranks/messages/message_waits.hpp"

namespace prof::ranks {

using tables::Cell;
using tables::CellKind;
using tables::Table;

namespace {

std::int64_t rank_of(const JobCollectives& job, const MatchedCall& call) {
  return *job.ranks[job.sequences[call.sequence].rank].unit.rank;
}

// The rank that `messages` of a job belong to.
std::int64_t rank_of(const JobCollectives& job, std::uint32_t messages) {
  return *job.ranks[job.messages[messages].rank].unit.rank;
}

const std::string& operation_of(const JobCollectives& job, const MatchedCollective& collective) {
  const MatchedCall& first = collective.calls.front();
  return job.sequences[first.sequence].of.operations[job.call(first).operation];
}

Cell bytes_cell(std::int64_t bytes) { return bytes < 0 ? Cell{} : Cell{bytes}; }

// The operations of one kind.
struct OperationSum {
  std::size_t ranks = 0;  // the most that took part in one
  std::vector<std::int64_t> skews;
  std::vector<std::int64_t> transfers;
  std::int64_t waits = 0;
  std::map<std::int64_t, std::int64_t> last;  // operations, by rank
  std::size_t operations = 0;
};

Table collective_sum(const JobCollectives& job) {
  using Key = std::tuple<std::string, std::string, std::int64_t>;
  std::map<Key, OperationSum> kinds;
  for (const MatchedCommunicator& communicator : job.communicators)
    for (const MatchedCollective& each : communicator.collectives) {
      const MatchedCall& first = each.calls.front();
      OperationSum& kind = kinds[{job.sequences[first.sequence].of.communicator,
                                  operation_of(job, each), job.call(first).bytes}];
      ++kind.operations;
      kind.ranks = std::max(kind.ranks, each.calls.size());
      const auto arrivals = arrivals_of(job, each);
      if (!arrivals) continue;
      kind.skews.push_back(arrivals->skew);
      kind.transfers.push_back(arrivals->transfer);
      for (const std::int64_t wait : arrivals->waits) kind.waits += wait;
      ++kind.last[rank_of(job, each.calls[arrivals->last])];
    }
  Table table{{{"Waits (ns)", CellKind::kInteger},
               {"Operations", CellKind::kInteger},
               {"Skew, Med (ns)", CellKind::kReal, 1},
               {"Skew, Max (ns)", CellKind::kInteger},
               {"Transfer, Med (ns)", CellKind::kReal, 1},
               {"Transfer, Max (ns)", CellKind::kInteger},
               {"Last Rank", CellKind::kInteger},
               {"Last (%)", CellKind::kReal, 1},
               {"Ranks", CellKind::kInteger},
               {"Bytes", CellKind::kInteger},
               {"Operation", CellKind::kText},
               {"Communicator", CellKind::kText}},
              {}};
  for (auto& [key, kind] : kinds) {
    const auto& [communicator, operation, bytes] = key;
    if (kind.skews.empty()) continue;
    const auto last = std::ranges::max_element(
        kind.last, [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto skew = stats::summarise(kind.skews);
    const auto transfer = stats::summarise(kind.transfers);
    table.rows.push_back(
        {kind.waits, static_cast<std::int64_t>(kind.operations), skew.median, skew.maximum,
         transfer.median, transfer.maximum, last->first,
         tables::percent(last->second, static_cast<std::int64_t>(kind.skews.size())),
         static_cast<std::int64_t>(kind.ranks), bytes_cell(bytes), tables::Text(operation),
         tables::Text(communicator)});
  }
  tables::sort_descending(table, 0);
  return table;
}

Table collective_trace(const JobCollectives& job) {
  Table table{{{"Start (ns)", CellKind::kInteger},
               {"Skew (ns)", CellKind::kInteger},
               {"Transfer (ns)", CellKind::kInteger},
               {"First Rank", CellKind::kInteger},
               {"Last Rank", CellKind::kInteger},
               {"Ranks", CellKind::kInteger},
               {"Bytes", CellKind::kInteger},
               {"Operation", CellKind::kText},
               {"Communicator", CellKind::kText}},
              {}};
  for (const MatchedCommunicator& communicator : job.communicators)
    for (const MatchedCollective& each : communicator.collectives) {
      const auto arrivals = arrivals_of(job, each);
      if (!arrivals) continue;
      const auto first = std::ranges::max_element(arrivals->waits) - arrivals->waits.begin();
      const MatchedCall& earliest = each.calls[static_cast<std::size_t>(first)];
      const JobSequence& sequence = job.sequences[earliest.sequence];
      table.rows.push_back(
          {job.alignment.common(sequence.report, job.call(earliest).start), arrivals->skew,
           arrivals->transfer, rank_of(job, earliest), rank_of(job, each.calls[arrivals->last]),
           static_cast<std::int64_t>(each.calls.size()), bytes_cell(job.call(earliest).bytes),
           tables::Text(operation_of(job, each)), tables::Text(sequence.of.communicator)});
    }
  tables::sort_by_first(table);
  return table;
}

// How long ranks wait for others: who for whom.
class RankWaits {
 public:
  explicit RankWaits(const JobCollectives& job) : job_(job) {
    for (const MatchedCommunicator& communicator : job.communicators)
      for (const MatchedCollective& each : communicator.collectives) add(each);
    for (const MatchedDirection& each : job.directions) add(each);
    for (const auto& [call, wait] : message_waits_) add(wait.rank, wait.waits_for, wait.time);
  }

  Table table() const {
    Table table{{{"Wait (ns)", CellKind::kInteger},
                 {"Share (%)", CellKind::kReal, 1},
                 {"Rank", CellKind::kInteger},
                 {"Waits For", CellKind::kInteger},
                 {"Operations", CellKind::kInteger},
                 {"Longest (ns)", CellKind::kInteger}},
                {}};
    for (const auto& [pair, wait] : waits_)
      table.rows.push_back({wait.time, tables::percent(wait.time, all_), pair.first, pair.second,
                            wait.count, wait.longest});
    tables::sort_descending(table, 0);
    return table;
  }

 private:
  struct Wait {
    std::int64_t time = 0;
    std::int64_t count = 0;
    std::int64_t longest = 0;
  };

  void add(const MatchedCollective& collective) {
    const auto arrivals = arrivals_of(job_, collective);
    if (!arrivals) return;
    const std::int64_t last = rank_of(job_, collective.calls[arrivals->last]);
    for (std::size_t i = 0; i < collective.calls.size(); ++i)
      if (i != arrivals->last) add(rank_of(job_, collective.calls[i]), last, arrivals->waits[i]);
  }

  void add(const MatchedDirection& messages) {
    const JobMessages& sender = job_.messages[messages.sender];
    const JobMessages& receiver = job_.messages[messages.receiver];
    for (const MatchedMessage& each : messages.pairs) {
      const auto waits = waits_of(job_, messages, each);
      if (!waits) return;
      if (waits->receiver > 0)
        add(receiver, receiver.of.messages[each.received], sender, waits->receiver);
      if (waits->sender > 0) add(sender, sender.of.messages[each.sent], receiver, waits->sender);
    }
  }

  // A call can wait for several messages. Its wait counts once, for the rank that comes last.
  void add(const JobMessages& of, const Message& waiting, const JobMessages& other,
           std::int64_t time) {
    MessageWait& wait = message_waits_[{of.report, waiting.wait_tid, waiting.wait_start}];
    if (time <= wait.time) return;
    wait = {*job_.ranks[of.rank].unit.rank, *job_.ranks[other.rank].unit.rank, time};
  }

  void add(std::int64_t rank, std::int64_t waits_for, std::int64_t time) {
    Wait& wait = waits_[{rank, waits_for}];
    wait.time += time;
    wait.longest = std::max(wait.longest, time);
    ++wait.count;
    all_ += time;
  }

  struct MessageWait {
    std::int64_t rank = 0;
    std::int64_t waits_for = 0;
    std::int64_t time = 0;
  };

  const JobCollectives& job_;
  std::map<std::pair<std::int64_t, std::int64_t>, Wait> waits_;  // who for whom
  // By report, thread and start of the call.
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, MessageWait> message_waits_;
  std::int64_t all_ = 0;  // ns
};

Table rank_wait_sum(const JobCollectives& job) { return RankWaits(job).table(); }

// The messages from one rank to another one in a communicator with one tag.
Table message_sum(const JobCollectives& job) {
  Table table{{{"Waits (ns)", CellKind::kInteger},
               {"Receiver Waits (ns)", CellKind::kInteger},
               {"Sender Waits (ns)", CellKind::kInteger},
               {"Transfer, Med (ns)", CellKind::kReal, 1},
               {"Transfer, Max (ns)", CellKind::kInteger},
               {"Messages", CellKind::kInteger},
               {"Unmatched", CellKind::kInteger},
               {"Bytes", CellKind::kInteger},
               {"Sender", CellKind::kInteger},
               {"Receiver", CellKind::kInteger},
               {"Tag", CellKind::kInteger},
               {"Communicator", CellKind::kText}},
              {}};
  for (const MatchedDirection& each : job.directions) {
    const MessageSequence& sent = job.messages[each.sender].of;
    const std::size_t all = sent.messages.size() + job.messages[each.receiver].of.messages.size();
    MessageWaits waits{};
    std::vector<std::int64_t> transfers;
    std::int64_t bytes = 0;
    for (const MatchedMessage& pair : each.pairs) {
      bytes += std::max<std::int64_t>(0, sent.messages[pair.sent].bytes);
      const auto of = waits_of(job, each, pair);
      if (!of) continue;
      waits.receiver += of->receiver;
      waits.sender += of->sender;
      transfers.push_back(of->transfer);
    }
    const bool has_times = !transfers.empty();
    const auto transfer = has_times ? stats::summarise(transfers) : stats::Durations{};
    const auto time = [&](std::int64_t value) { return has_times ? Cell{value} : Cell{}; };
    table.rows.push_back({time(waits.receiver + waits.sender), time(waits.receiver),
                          time(waits.sender), has_times ? Cell{transfer.median} : Cell{},
                          time(transfer.maximum), static_cast<std::int64_t>(each.pairs.size()),
                          static_cast<std::int64_t>(all - 2 * each.pairs.size()), bytes,
                          rank_of(job, each.sender), rank_of(job, each.receiver), sent.tag,
                          tables::Text(sent.communicator)});
  }
  tables::sort_descending(table, 0);
  return table;
}

Table delay_sum(const JobCollectives& job) {
  Table table{{{"Delay (ns)", CellKind::kInteger},
               {"Rank", CellKind::kInteger},
               {"Cause", CellKind::kText},
               {"Steps", CellKind::kText},
               {"Late (ns)", CellKind::kInteger},
               {"Waited (ns)", CellKind::kInteger},
               {"Last (%)", CellKind::kReal, 1},
               {"Host", CellKind::kText}},
              {}};
  const JobDelays delays(job);
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    const RankDelay& rank = delays.ranks()[i];
    if (rank.operations == 0) continue;
    const RankSeries series = delays.series(i);
    for (std::size_t cause = 0; cause < kCauses; ++cause) {
      if (rank.delays[cause] <= 0) continue;
      table.rows.push_back({static_cast<std::int64_t>(rank.delays[cause]), *job.ranks[i].unit.rank,
                            tables::Text(name_of(static_cast<Cause>(cause))),
                            tables::Text(text_of(pattern_of(series.delays[cause]))),
                            static_cast<std::int64_t>(rank.late),
                            static_cast<std::int64_t>(rank.waited),
                            tables::percent(static_cast<std::int64_t>(rank.last),
                                            static_cast<std::int64_t>(rank.operations)),
                            tables::Text(job.ranks[i].unit.node)});
    }
  }
  tables::sort_descending(table, 0);
  return table;
}

constexpr JobStatistic kStatistics[] = {
    {"collective_sum", "Collective Operations of All Ranks",
     "Operations in which several ranks take part: how far apart these come, how long the transfer "
     "takes then, and which rank comes last most often",
     PartDetails::kCalls, collective_sum},
    {"collective_trace", "Collective Operations",
     "Each operation: from the first arrival to the last one, and from there to the end",
     PartDetails::kCalls, collective_trace},
    {"rank_wait_sum", "Waits of Ranks for Others",
     "How long each rank waits for others: in collective operations for the rank that comes last, "
     "and for the other side of messages",
     PartDetails::kCalls, rank_wait_sum},
    {"message_sum", "Messages between Ranks",
     "Messages of MPI and NCCL from one rank to another one: how long the receiver waits for a "
     "late sender, the sender for a late receiver, and the transfer once both are ready",
     PartDetails::kCalls, message_sum},
    {"delay_sum", "Delays of Ranks",
     "What makes ranks late: their own time between collective operations, without waits, beyond "
     "that of the median rank",
     PartDetails::kOwnTimes, delay_sum},
};

}  // namespace

std::span<const JobStatistic> job_statistics() { return kStatistics; }

const JobStatistic* find_job_statistic(std::string_view name) {
  const auto found = std::ranges::find_if(
      kStatistics, [&](const JobStatistic& each) { return each.name == name; });
  return found == std::end(kStatistics) ? nullptr : &*found;
}

}  // namespace prof::ranks
