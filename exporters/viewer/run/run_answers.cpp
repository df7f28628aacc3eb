#include "exporters/viewer/run/run_answers.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>

namespace prof::view {

namespace {

constexpr RunHandler kHandlers[] = {
    {"heat", Queue::kTiles, answer_heat},        {"path", Queue::kEvents, answer_path},
    {"place", Queue::kEvents, answer_place},     {"run", Queue::kEvents, answer_run},
    {"steps", Queue::kEvents, answer_steps},     {"verdict", Queue::kEvents, answer_verdict},
    {"waits", Queue::kStatistics, answer_waits},
};

template <class Make>
Outcome<Answer> without_exceptions(Make make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return fault(503, "out of memory");
  } catch (const std::exception& error) {
    return fault(500, std::string("internal error: ") + error.what());
  }
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
    return (*open)->get(handler, parameters);
  });
}

}  // namespace prof::view
