#include "exporters/viewer/run/run_answers.hpp"

#include <algorithm>
#include <iterator>

#include "exporters/analysis/path/path_events.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

namespace {

constexpr RunHandler kHandlers[] = {
    {"heat", Queue::kTiles, answer_heat},
    {"path", Queue::kEvents, answer_path},
    {"place", Queue::kEvents, answer_place},
    {"run", Queue::kEvents, answer_run},
    {"similar", Queue::kStatistics, answer_similar},
    {"steps", Queue::kEvents, answer_steps},
    {"verdict", Queue::kEvents, answer_verdict},
    {"waits", Queue::kStatistics, answer_waits},
};

// Shows the part of the job's critical path that a report has.
void put_path(const RunState& state, std::size_t report, timeline::Timeline& timeline) {
  std::vector<path::PathEvent> events;
  if (state.path)
    for (const ranks::PathPiece& each : state.path->pieces) {
      if (each.report != report) continue;
      path::PathEvent event = each.event;
      // Clocks differ by some ns from one piece to the next.
      if (!events.empty()) event.start = std::max(event.start, events.back().end);
      if (event.start < event.end) events.push_back(event);
    }
  timeline.put_path(0, events, "of the job");
}

}  // namespace

const RunHandler* RunAnswers::find(std::string_view name) {
  const auto* found = std::ranges::find(kHandlers, name, &RunHandler::name);
  return found == std::end(kHandlers) ? nullptr : found;
}

Outcome<Answer> RunAnswers::get(const RunHandler& handler, const Parameters& parameters) const {
  return without_exceptions([&] { return handler.handle(model_, parameters); });
}

Outcome<Answer> RunAnswers::get(std::size_t report, const Handler& handler,
                                const Parameters& parameters) const {
  return without_exceptions([&]() -> Outcome<Answer> {
    const auto state = model_.state();
    if (!state->ranks || report >= state->ranks->reports.size())
      return fault(404, "the job has no report of this number");
    std::optional<std::int64_t> opening;
    if (parameters.has("opening")) {
      const auto given = parameters.integer("opening");
      if (!given) return tl::make_unexpected(given.error());
      opening = *given;
    }
    const auto open = reports_.get(report, state->ranks->reports[report].path, opening);
    if (!open) return tl::make_unexpected(open.error());
    const auto& timeline = (*open)->sources().timeline;
    const auto snapshot = timeline->snapshot();
    if (snapshot->awaits_path() && snapshot->exact() && (state->path || state->is_complete))
      put_path(*state, report, *timeline);
    return (*open)->get(handler, parameters);
  });
}

}  // namespace prof::view
