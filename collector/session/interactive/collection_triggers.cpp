#include "collector/session/interactive/collection_triggers.hpp"

#include <fmt/format.h>

namespace prof::session {

CollectionTriggers::CollectionTriggers(const SessionOptions& options, const StepPace& pace)
    : awaits_begin_(options.time.start_on.is_set() || options.ranges.at_step.has_value()),
      start_on_(options.time.start_on.word),
      start_file_(options.time.start_on),
      stop_file_(options.time.stop_on),
      steps_(options.ranges.at_step),
      pace_(pace) {}

bool CollectionTriggers::needs_looks() const {
  return start_file_.is_active() || stop_file_.is_active() || steps_.has_value();
}

bool CollectionTriggers::has_come(std::uint64_t steps_begun) {
  if (!awaits_begin_) return false;
  if (steps_) {
    pace_.look(steps_begun, StepPace::Clock::now());
    return pace_.is_near(steps_->first);
  }
  return start_file_.is_active() && start_file_.has_appeared();
}

// The process that takes the step reports it before it begins the capture range. So the range of a
// step is missed only if another step has begun after it.
std::optional<std::string> CollectionTriggers::why_missed(std::uint64_t steps_begun,
                                                          std::uint32_t ranges_begun) const {
  if (!steps_ || awaits_begin_ || ranges_begun != 0 || steps_begun <= steps_->first + 1)
    return std::nullopt;
  return fmt::format("step {} began before the recording was prepared; {}", steps_->first,
                     position_text(steps_begun));
}

std::string CollectionTriggers::awaited() const {
  if (!steps_) return "--start-on=" + start_on_;
  return fmt::format("step {} ({})", steps_->first, position_text(pace_.begun()));
}

std::string position_text(std::uint64_t steps_begun) {
  return steps_begun == 0 ? std::string("no step has begun")
                          : fmt::format("the program is at step {}", steps_begun - 1);
}

}  // namespace prof::session
