// What begins and ends a collection of a session besides commands: the events of --start-on and
// --stop-on, and the steps of --at-step.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "collector/session/control/file_watch.hpp"
#include "collector/session/control/step_pace.hpp"
#include "collector/session/options/session_options.hpp"

namespace prof::session {

class CollectionTriggers {
 public:
  // A collection without such events.
  CollectionTriggers() = default;
  // `pace` is that of the session's programs so far.
  CollectionTriggers(const SessionOptions& options, const StepPace& pace);

  // True until an event has begun the collection.
  bool awaits_begin() const { return awaits_begin_; }
  void begin() { awaits_begin_ = false; }
  // True if look() and has_ended() have to be called all the time (FileWatch::kInterval).
  bool needs_looks() const;
  // True if an event has come that begins the collection. `steps_begun`: of all programs.
  bool has_come(std::uint64_t steps_begun);
  // True if an event has come that ends the collection.
  bool has_ended() { return stop_file_.is_active() && stop_file_.has_appeared(); }
  // Returns why the collection has missed its first step; nothing if it has not.
  std::optional<std::string> why_missed(std::uint64_t steps_begun,
                                        std::uint32_t ranges_begun) const;
  // Returns what the collection awaits: "--start-on=EVENT", or "step 1000 (the program is at step
  // 17)".
  std::string awaited() const;

 private:
  bool awaits_begin_ = false;
  std::string start_on_{};
  FileWatch start_file_{{}};
  FileWatch stop_file_{{}};
  std::optional<StepRequest> steps_;
  StepPace pace_{{}};
};

// Returns where the program is, for messages: "step 17", or "no step has begun".
std::string position_text(std::uint64_t steps_begun);

}  // namespace prof::session
