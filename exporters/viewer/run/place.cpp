// api/place: where in a rank's own report a time of the job is, and the collective operation there.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "exporters/viewer/run/run_answers.hpp"

namespace prof::view {

namespace {

constexpr std::size_t kMostPeers = 8;  // that get marks

// The call of a rank that is nearest to a time.
struct NearestCall {
  const ranks::MatchedCollective* collective = nullptr;
  std::size_t call = 0;  // of the rank in it
  std::int64_t distance = std::numeric_limits<std::int64_t>::max();
};

NearestCall nearest_call(const RunCollectives& run, std::size_t rank, std::int64_t time) {
  NearestCall nearest;
  for (const ranks::MatchedCommunicator& communicator : run.job.communicators)
    for (const std::uint32_t sequence : communicator.sequences) {
      if (run.ranks[run.job.sequences[sequence].rank] != rank) continue;
      for (const ranks::MatchedCollective& each : communicator.collectives) {
        const auto at =
            std::ranges::lower_bound(each.calls, sequence, {}, &ranks::MatchedCall::sequence);
        if (at == each.calls.end() || at->sequence != sequence) continue;
        const ranks::RankCall& call = run.job.call(*at);
        const std::int64_t distance =
            std::max({call.start - time, time - call.end, std::int64_t{0}});
        if (distance < nearest.distance)
          nearest = {&each, static_cast<std::size_t>(at - each.calls.begin()), distance};
      }
    }
  return nearest;
}

void add_mark(Json& json, std::int64_t time, const std::string& note) {
  json.begin_object().pair("time", time).pair("note", note).end_object();
}

// The arrivals of the peers, on the clock of the rank's report. Of many ranks the latest ones.
void add_marks(Json& json, const RunCollectives& run, const NearestCall& nearest) {
  const auto arrivals = ranks::arrivals_of(run.job, *nearest.collective);
  if (!arrivals) return;
  const auto& calls = nearest.collective->calls;
  const ranks::RankCall& own = run.job.call(calls[nearest.call]);
  std::vector<std::size_t> order(calls.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return arrivals->waits[i]; });
  std::size_t marked = 0;
  for (const std::size_t i : order) {
    if (i == nearest.call || ++marked > kMostPeers) continue;
    const ranks::JobSequence& sequence = run.job.sequences[calls[i].sequence];
    add_mark(json, own.start + arrivals->waits[nearest.call] - arrivals->waits[i],
             fmt::format("rank {} {}", *run.job.ranks[sequence.rank].unit.rank,
                         i == arrivals->last ? "comes last" : "comes"));
  }
}

void add_call(Json& json, const RunCollectives& run, const NearestCall& nearest) {
  const ranks::MatchedCall& call = nearest.collective->calls[nearest.call];
  const ranks::JobSequence& sequence = run.job.sequences[call.sequence];
  const ranks::RankCall& own = run.job.call(call);
  json.pair("operation", sequence.of.operations[own.operation])
      .pair("communicator", sequence.of.communicator)
      .pair("from", own.start)
      .pair("to", own.end)
      .key("marks")
      .begin_list();
  add_marks(json, run, nearest);
  json.end_list();
}

}  // namespace

Outcome<Answer> answer_place(const RunModel& model, const Parameters& parameters) {
  const auto state = model.state();
  const std::size_t ranks = state->ranks ? state->ranks->ranks.size() : 0;
  const auto rank = parameters.integer("rank");
  if (!rank) return tl::make_unexpected(rank.error());
  const auto common = parameters.integer("time");
  if (!common) return tl::make_unexpected(common.error());
  if (*rank < 0 || static_cast<std::size_t>(*rank) >= ranks)
    return fault(404, fmt::format("the job has {} ranks, counted from 0", ranks));
  const auto number = static_cast<std::size_t>(*rank);
  const std::size_t report = state->ranks->ranks[number].report;
  const std::int64_t time = state->of_report(report, *common);
  Json json;
  json.begin_object().pair("report", report).pair("time", time).key("collective");
  const NearestCall nearest =
      state->collectives ? nearest_call(*state->collectives, number, time) : NearestCall();
  if (nearest.collective == nullptr) {
    json.null();
  } else {
    json.begin_object();
    add_call(json, *state->collectives, nearest);
    json.end_object();
  }
  json.end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
