// --max-overhead, the part that wrappers ask before they read the clock. For each function a thread
// has a countdown of calls to leave out before the next one that is recorded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/core/function.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/thread_state.hpp"

namespace prof::core {

struct Countdown {
  // Below 0: the call in progress is to be recorded. Every call counts, also one that is left by
  // longjmp before it can be recorded; so the number goes on falling.
  std::int16_t left;
  std::int16_t drawn;  // what `left` was after the last recorded call
};

// Is something left out in this session? Not while threads may be foreign.
[[gnu::always_inline]] inline bool thins() { return has_feature(wire::kFeatureThinning); }

// Takes one call from the function's countdown. True: it is left out, and a wrapper only calls the
// real function. Only for functions of osrt.
[[gnu::always_inline]] inline bool leaves_out(Function function) {
  static_assert(sizeof(Countdown) == 4 && offsetof(Countdown, left) == 0);
  // Not thins(): the compiler would load the address of g_process before the question.
  return machine::has_bits_in_process<wire::kFeatureThinning, offsetof(ProcessState, features)>() &&
         machine::count_down<offsetof(ThreadState, calls), kRecorded,
                             offsetof(ThreadState, countdowns)>(function.id);
}

// What core/thinning does for this folder. A call that a countdown has chosen, or that no countdown
// asked for, is recorded with what it stands for.
struct Call;
void record_thinned_call(const Call& call, std::uint64_t end, Function function,
                         std::int64_t result);
// The thread ends, or gives its chunk back: records what it left out since its last records.
void end_thinning_here();

}  // namespace prof::core
