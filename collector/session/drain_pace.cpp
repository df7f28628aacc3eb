#include "collector/session/drain_pace.hpp"

#include <algorithm>

namespace prof::session {

using std::chrono::milliseconds;

namespace {

using Duration = DrainPace::Clock::duration;

constexpr auto kPoll = DrainPace::kPollInterval;
constexpr auto kIdlePollInterval = milliseconds(40);
constexpr auto kLongestPollInterval = milliseconds(100);
constexpr std::uint64_t kBusyBytes = std::uint64_t{1} << 20;  // bytes per drain
// The shortest interval, however often a drain is requested.
constexpr auto kUrgentInterval = milliseconds(1);

// Returns the longest pause while nothing is recorded. Samples, stacks and events of the kernel
// must be processed soon, while the process that they are about exists. So the pause is short if
// the user chose them. Otherwise processes request a drain when they need one, and so does the
// kernel.
milliseconds longest_pause(const SessionOptions& options) {
  const bool needs_prompt_drains = options.trace_system_calls || options.tracepoints.is_any() ||
                                   options.cpu.samples_chosen || options.cpu.switches_chosen ||
                                   options.native_call_chains_chosen() ||
                                   options.python.samples_chosen;
  return needs_prompt_drains ? kPoll : kIdlePollInterval;
}

// Returns the pause after a drain. A drain looks at the chunks of all threads, thousands of them
// even if they are idle. So drains use at most a tenth of the collector's time. `longest`: pause
// while nothing is recorded, which is reached step by step.
Duration pause_after(std::uint64_t drained_bytes, Duration took, Duration previous,
                     Duration longest) {
  if (drained_bytes >= kBusyBytes) return kPoll;
  const auto shortest = drained_bytes == 0 ? std::min(2 * previous, longest) : kPoll;
  return std::clamp<Duration>(10 * took, shortest, kLongestPollInterval);
}

}  // namespace

DrainPace::DrainPace(const SessionOptions& options) : idle_interval_(longest_pause(options)) {}

DrainPace::Clock::time_point DrainPace::due(bool requested) const {
  return last_ + (requested ? kUrgentInterval : pause_);
}

void DrainPace::drained(std::uint64_t bytes, Clock::time_point begin) {
  pause_ = pause_after(bytes, Clock::now() - begin, pause_, idle_interval_);
  last_ = begin;
}

}  // namespace prof::session
