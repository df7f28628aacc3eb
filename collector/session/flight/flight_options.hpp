// The options of a flight recorder.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "collector/session/flight/trigger.hpp"

namespace prof::session {

struct FlightOptions {
  std::chrono::nanoseconds window{0};  // how much of the past is kept; 0: not a flight recorder
  std::uint64_t bytes = 0;             // maximum memory; 0: a part of the free memory
  std::vector<FlightTrigger> triggers;
  std::uint32_t trigger_limit = 10;  // maximum number of reports in an hour
  std::chrono::nanoseconds trigger_after{0};
  std::string session;  // name of the session for prof snapshot; empty: made of prof's pid

  bool is_on() const { return window.count() != 0; }
};

// Returns the name of prof profile's session, with or without a flight recorder.
inline std::string session_name(const FlightOptions& options) {
  return options.session.empty() ? "profile-" + std::to_string(getpid()) : options.session;
}

}  // namespace prof::session
