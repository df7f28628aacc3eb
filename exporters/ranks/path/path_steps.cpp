#include "exporters/ranks/path/path_steps.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/path/backward_walk.hpp"

namespace prof::ranks {

using path::Place;

namespace {

constexpr std::int64_t kBeforeAll = std::numeric_limits<std::int64_t>::min() / 4;  // ns

class StepFinder {
 public:
  // `events` are sorted.
  StepFinder(const path::ExecutionModel& model, std::vector<JobEvent> events,
             std::vector<PathStep>& steps)
      : model_(model), events_(std::move(events)), steps_(steps) {}

  std::uint32_t add(const Place& place) {
    const auto [at, is_new] =
        numbers_.try_emplace(key_of(place), static_cast<std::uint32_t>(steps_.size()));
    if (is_new) steps_.push_back({place, event_of_several(place), path::kNowhere});
    return at->second;
  }

  void find() {
    for (std::uint32_t i = 0; i < steps_.size(); ++i) {
      const std::uint32_t next = next_of(i);
      steps_[i].next = next;
    }
  }

 private:
  using Key = std::tuple<bool, std::uint32_t, std::int64_t>;
  static Key key_of(const Place& place) { return {place.is_on_gpu, place.index, place.time}; }

  std::optional<JobEvent> event_of_several(const Place& place) const {
    const auto event = event_at(model_, place);
    return event && std::ranges::binary_search(events_, *event) ? event : std::nullopt;
  }

  std::uint32_t next_of(std::uint32_t number) {
    constexpr std::size_t kBetweenMarks = 16;  // steps
    Place place = steps_[number].place;
    for (std::size_t count = 1;; ++count) {
      segments_.clear();
      place = path::BackwardWalk(model_, segments_).step(place, kBeforeAll);
      if (place.time <= kBeforeAll) return path::kNowhere;
      if (place.time < model_.begin() || event_of_several(place)) return add(place);
      // Ways that have met stay together. One that meets itself, as in a damaged report, ends.
      const auto passed = passed_.find(key_of(place));
      if (passed != passed_.end())
        return passed->second == number ? path::kNowhere : steps_[passed->second].next;
      if (count % kBetweenMarks == 0) passed_.emplace(key_of(place), number);
    }
  }

  const path::ExecutionModel& model_;
  const std::vector<JobEvent> events_;
  std::vector<PathStep>& steps_;
  std::map<Key, std::uint32_t> numbers_;  // of steps
  std::map<Key, std::uint32_t> passed_;   // places between steps, and after which step they come
  std::vector<path::Segment> segments_;
};

// Returns where the part begins; its index is kNowhere if that was not recorded.
Place place_of_part(const path::ExecutionModel& model, const RecordedPart& part,
                    const std::optional<JobEvent>& event) {
  if (part.is_call) return {false, model.calls().find_thread(part.global_id), part.start};
  return {true, event ? event->index : path::kNowhere, part.start};
}

}  // namespace

PathSteps find_steps(const ReportExecution& report, const std::vector<RecordedPart>& parts) {
  const path::ExecutionModel& model = report.model;
  PathSteps result;
  result.begin = model.begin();
  result.end = model.end();
  result.is_cut = report.filter.start > -events::kMaxTime;
  JobEvents found(std::span(&report, 1));
  std::vector<JobEvent> events;
  for (const RecordedPart& each : parts) {
    const auto event = each.is_call ? found.call_at(0, each.global_id, each.start)
                                    : found.kernel_at(0, each.global_id, each.start, each.end);
    result.parts.push_back({event, path::kNowhere});
    if (event) events.push_back(*event);
  }
  std::ranges::sort(events);
  StepFinder finder(model, std::move(events), result.steps);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Place place = place_of_part(model, parts[i], result.parts[i].event);
    if (place.index != path::kNowhere) result.parts[i].step = finder.add(place);
  }
  if (model.begin() < model.end()) result.last = finder.add(model.last_place());
  finder.find();
  return result;
}

}  // namespace prof::ranks
