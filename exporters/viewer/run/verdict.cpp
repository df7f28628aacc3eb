// api/verdict: what prof analyze says of the job, with the places of its findings.
#include "common/base/text/marked_name.hpp"
#include "exporters/viewer/answers/summary/finding_json.hpp"
#include "exporters/viewer/run/run_answers.hpp"

namespace prof::view {

namespace {

// The rank that a finding is about: an index into RunRanks::ranks.
std::optional<std::size_t> rank_of(const RunCollectives& run, std::size_t finding) {
  const ranks::JobVerdict& verdict = *run.verdict;
  if (finding < verdict.late.size()) return run.ranks[verdict.late[finding]];
  return verdict.typical ? run.ranks[*verdict.typical] : std::nullopt;
}

void add_where(Json& json, const RunState& state, const analyze::Finding& finding,
               std::optional<std::size_t> rank) {
  json.key("rank");
  rank ? json.value(*rank) : json.null();
  json.key("where");
  if (!rank || !finding.where) {
    json.null();
    return;
  }
  const std::size_t report = state.ranks->ranks[*rank].report;
  json.begin_object()
      .pair("from", state.common(report, finding.where->time.start))
      .pair("to", state.common(report, finding.where->time.end))
      .end_object();
}

}  // namespace

Outcome<Answer> answer_verdict(const RunModel& model, const Parameters&) {
  const auto state = model.state();
  Json json;
  json.begin_object();
  if (!state->collectives || !state->collectives->verdict) {
    json.key("verdict").null().key("job").begin_list().end_list();
    json.key("findings").begin_list().end_list().end_object();
    return Answer{json.take()};
  }
  const analyze::Diagnosis& diagnosis = state->collectives->verdict->diagnosis;
  json.key("verdict").begin_object();
  add_verdict(json, diagnosis);
  json.end_object().key("job").begin_list();
  for (const std::string& line : diagnosis.job) json.value(base::without_marks(line));
  json.end_list().key("findings").begin_list();
  for (std::size_t i = 0; i < diagnosis.findings.size(); ++i) {
    const analyze::Finding& each = diagnosis.findings[i];
    json.begin_object();
    add_finding(json, each, diagnosis);
    json.pair("savings", each.savings());
    add_where(json, *state, each, rank_of(*state->collectives, i));
    json.end_object();
  }
  json.end_list().end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
