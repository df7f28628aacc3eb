// api/run: the ranks of a job, what each of them does in all, and what is missing.
#include <cmath>
#include <map>

#include "exporters/viewer/answers/table_json.hpp"
#include "exporters/viewer/run/heat.hpp"
#include "exporters/viewer/run/run_answers.hpp"

namespace prof::view {

namespace {

// What the statistics of the job say of a rank.
struct RankSums {
  std::int64_t waited = 0;
  std::int64_t late = 0;
  std::int64_t delay = 0;  // by the largest cause
  std::string_view cause;
  std::string_view steps;
};

std::map<std::int64_t, RankSums> rank_sums(const RunCollectives* run) {
  std::map<std::int64_t, RankSums> sums;
  if (run == nullptr) return sums;
  for (const RankWait& each : run->waits) sums[each.rank].waited += each.wait;
  for (const RankDelayRow& each : run->delays) {  // the largest comes first
    RankSums& rank = sums[each.rank];
    rank.late = each.late;
    if (rank.cause.empty()) {
      rank.delay = each.delay;
      rank.cause = each.cause;
      rank.steps = each.steps;
    }
  }
  return sums;
}

void add_rank(Json& json, const RunState& state, const RunRank& rank, const RankSums& sums) {
  json.begin_object()
      .pair("rank", *rank.unit.rank)
      .pair("job", rank.unit.job)
      .pair("node", rank.unit.node)
      .pair("attempt", rank.attempt)
      .pair("report", rank.report)
      .pair("from", state.common(rank.report, rank.picture.begin))
      .pair("to", state.common(rank.report, rank.picture.end))
      .key("clock_error");
  const auto error = state.clock_error(rank.report);
  error ? json.value(std::llround(*error)) : json.null();
  json.key("times").begin_list();
  for (const std::int64_t time : rank.picture.times) json.value(time);
  json.end_list()
      .pair("waited", sums.waited)
      .pair("late", sums.late)
      .pair("delay", sums.delay)
      .pair("cause", sums.cause)
      .pair("steps", sums.steps)
      .end_object();
}

void add_ranks(Json& json, const RunState& state) {
  const auto sums = rank_sums(state.collectives.get());
  const insight::Interval span = span_of(state);
  json.key("span").begin_object().pair("start", span.start).pair("end", span.end).end_object();
  json.key("reports").begin_list();
  for (const ranks::PlannedReport& each : state.ranks->reports) json.value(each.path);
  json.end_list().key("ranks").begin_list();
  for (const RunRank& each : state.ranks->ranks) {
    const auto found = sums.find(*each.unit.rank);
    add_rank(json, state, each, found == sums.end() ? RankSums() : found->second);
  }
  json.end_list();
  add_texts(json, "left_out", state.ranks->left_out);
  add_texts(json, "remarks", state.ranks->remarks);
}

}  // namespace

Outcome<Answer> answer_run(const RunModel& model, const Parameters&) {
  const auto state = model.state();
  Json json;
  json.begin_object()
      .pair("version", state->version)
      .pair("complete", state->is_complete)
      .pair("name", model.name())
      .pair("has_ranks", state->ranks != nullptr)
      .pair("has_collectives", state->collectives != nullptr)
      .pair("has_path", state->path != nullptr)
      .key("states")
      .begin_list();
  for (std::size_t i = 0; i < kHeatStates; ++i)
    json.begin_object()
        .pair("name", heat_state(i).name)
        .pair("label", heat_state(i).label)
        .end_object();
  json.end_list();
  if (state->ranks) add_ranks(json, *state);
  add_texts(json, "faults", state->faults);
  json.end_object();
  return Answer{json.take()};
}

Outcome<Answer> answer_heat(const RunModel& model, const Parameters& parameters) {
  std::vector<std::string_view> names = {"largest"};
  for (std::size_t i = 0; i < kHeatStates; ++i) names.emplace_back(heat_state(i).name);
  const auto word = parameters.word("state", names);
  if (!word) return tl::make_unexpected(word.error());
  const auto state = model.state();
  if (!state->ranks) return fault(404, "the reports have not been read yet");
  const auto only = *word == 0 ? std::nullopt : std::optional(*word - 1);
  return Answer{bytes_of(heat_of(*state, only)), "application/octet-stream"};
}

}  // namespace prof::view
