// --max-overhead: the part that wrappers use before they read the clock. For each function a thread
// has a countdown of calls to leave out before the next recorded call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/core/function.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/thread_state.hpp"

namespace prof::core {

struct Countdown {
  // If below 0, the call in progress is to be recorded. Every call counts, also a call that is left
  // by longjmp before it is recorded; so the number continues to fall.
  std::int16_t left;
  std::int16_t drawn;  // the value of `left` after the last recorded call
};
// The gate (assembler) decrements the counter and relies on this layout.
static_assert(sizeof(Countdown) == 4 && offsetof(Countdown, left) == 0);

// True if calls or ranges are left out in this session. False while threads may be foreign.
[[gnu::always_inline]] inline bool thins() { return has_feature(wire::kFeatureThinning); }

// Takes one call from the function's countdown. Returns true if the call is left out, so that a
// wrapper only calls the real function. For wrappers of functions of osrt without
// PROF_COUNTING_GATE.
inline bool leaves_out(Function function) {
  const ThreadState& t = t_state;
  return thins() && t.calls == kRecorded && t.countdowns != nullptr &&
         --t.countdowns[function.id].left >= 0;
}

// The interface to core/thinning. A call is recorded with its weight if a countdown has chosen it,
// or if its function has no countdown.
struct Call;
void record_thinned_call(const Call& call, std::uint64_t end, Function function,
                         std::int64_t result);
// Records what the calling thread left out since its last records. Called when the thread ends or
// gives its chunk back.
void end_thinning_here();

}  // namespace prof::core

// Defines the constants of PROF_COUNTING_GATE for the assembler. The function is not called; the
// linker drops it. None of the constants is 0, because linkers take such a constant for an
// undefined symbol.
#define PROF_COUNTDOWN_CONSTANTS(symbol, function)                                    \
  [[gnu::used]] static void countdown_constants_of_##symbol() {                       \
    using namespace ::prof::core;                                                     \
    constexpr std::size_t end = sizeof(Countdown) * ((function).id + 1);              \
    asm(".set prof_countdown_ends_" #symbol                                           \
        ", %c0\n\t"                                                                   \
        ".set prof_recorded_" #symbol                                                 \
        ", %c1\n\t"                                                                   \
        ".set prof_calls_at_" #symbol                                                 \
        ", %c2\n\t"                                                                   \
        ".set prof_countdowns_at_" #symbol ", %c3"                                    \
        :                                                                             \
        : "i"(end), "i"(std::uint32_t{kRecorded}), "i"(offsetof(ThreadState, calls)), \
          "i"(offsetof(ThreadState, countdowns)));                                    \
  }
