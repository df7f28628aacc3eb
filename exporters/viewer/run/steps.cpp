// api/steps: how long each step takes on the ranks. api/path: which rank holds the critical path.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "exporters/viewer/run/run_answers.hpp"

namespace prof::view {

namespace {

constexpr std::int64_t kMostPieces = 2000;  // of the strip
constexpr std::size_t kMostSums = 500;

void add_optional(Json& json, std::optional<std::size_t> number) {
  number ? json.value(*number) : json.null();
}

// Returns the index of a unit in RunRanks::ranks.
std::optional<std::size_t> index_of(const RunRanks& ranks, const ranks::Unit& unit) {
  const auto found = std::ranges::find(ranks.ranks, unit, &RunRank::unit);
  if (found == ranks.ranks.end()) return std::nullopt;
  return static_cast<std::size_t>(found - ranks.ranks.begin());
}

// A part of the strip: from here on this unit holds the path in this way.
struct StripPiece {
  std::int64_t from;
  std::int64_t to;
  std::size_t unit;
  path::SegmentKind kind;
};

// In each part of the time, the unit and the kind that have most of it.
std::vector<StripPiece> strip_of(const ranks::JobPath& path) {
  std::vector<StripPiece> strip;
  const std::int64_t width = std::max<std::int64_t>(1, path.elapsed / kMostPieces);
  using Key = std::pair<std::size_t, path::SegmentKind>;
  auto next = path.pieces.begin();
  for (std::int64_t from = path.begin; from < path.begin + path.elapsed; from += width) {
    const std::int64_t to = std::min(from + width, path.begin + path.elapsed);
    while (next != path.pieces.end() && next->start + next->duration <= from) ++next;
    std::map<Key, std::int64_t> times;
    for (auto at = next; at != path.pieces.end() && at->start < to; ++at)
      times[{at->unit, at->event.kind}] +=
          std::min(to, at->start + at->duration) - std::max(from, at->start);
    if (times.empty()) continue;
    const auto most =
        std::ranges::max_element(times, {}, [](const auto& each) { return each.second; });
    const auto [unit, kind] = most->first;
    if (!strip.empty() && strip.back().unit == unit && strip.back().kind == kind)
      strip.back().to = to;
    else
      strip.push_back({from, to, unit, kind});
  }
  return strip;
}

void add_sums(Json& json, const ranks::JobPath& path) {
  json.key("sums").begin_list();
  std::size_t count = 0;
  for (const auto& [unit, sum] : path.sums) {
    if (++count > kMostSums) break;
    const auto at = std::ranges::find(path.units, unit) - path.units.begin();
    json.begin_list()
        .value(at)
        .value(path::name_of(sum.kind))
        .value(sum.name)
        .value(sum.time)
        .value(sum.count)
        .end_list();
  }
  json.end_list().pair("more", path.sums.size() - std::min(path.sums.size(), kMostSums));
}

// The time of each unit on the path.
std::vector<std::int64_t> unit_times(const ranks::JobPath& path) {
  std::vector<std::int64_t> times(path.units.size());
  for (const ranks::PathPiece& each : path.pieces) times[each.unit] += each.duration;
  return times;
}

}  // namespace

Outcome<Answer> answer_steps(const RunModel& model, const Parameters&) {
  const auto state = model.state();
  Json json;
  json.begin_object()
      .pair("found_by", state->collectives ? state->collectives->steps_found_by : "")
      .key("steps")
      .begin_list();
  if (state->collectives)
    for (const StepBand& each : state->collectives->steps) {
      json.begin_list()
          .value(each.from)
          .value(each.to)
          .value(each.least)
          .value(each.first_quartile)
          .value(each.median)
          .value(each.third_quartile)
          .value(each.most);
      add_optional(json, each.longest);
      json.value(each.ranks).end_list();
    }
  json.end_list().end_object();
  return Answer{json.take()};
}

Outcome<Answer> answer_path(const RunModel& model, const Parameters&) {
  const auto state = model.state();
  const ranks::JobPath none;
  const ranks::JobPath& path = state->path ? *state->path : none;
  const auto times = unit_times(path);
  Json json;
  json.begin_object().pair("begin", path.begin).pair("elapsed", path.elapsed).key("units");
  json.begin_list();
  for (std::size_t i = 0; i < path.units.size(); ++i) {
    json.begin_object().key("rank");
    path.units[i].rank ? json.value(*path.units[i].rank) : json.null();
    json.key("index");
    add_optional(json, index_of(*state->ranks, path.units[i]));
    json.pair("time", times[i]).end_object();
  }
  json.end_list().key("strip").begin_list();
  for (const StripPiece& each : strip_of(path))
    json.begin_list()
        .value(each.from)
        .value(each.to)
        .value(each.unit)
        .value(path::name_of(each.kind))
        .end_list();
  json.end_list();
  add_sums(json, path);
  json.end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
