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
// Assembler counts down.
static_assert(sizeof(Countdown) == 4 && offsetof(Countdown, left) == 0);

// Is something left out in this session? Not while threads may be foreign.
[[gnu::always_inline]] inline bool thins() { return has_feature(wire::kFeatureThinning); }

// Takes one call from the function's countdown. True: it is left out, and a wrapper only calls the
// real function. For wrappers without PROF_COUNTING_GATE, of functions of osrt.
inline bool leaves_out(Function function) {
  const ThreadState& t = t_state;
  return thins() && t.calls == kRecorded && t.countdowns != nullptr &&
         --t.countdowns[function.id].left >= 0;
}

// What core/thinning does for this folder. A call that a countdown has chosen, or that no countdown
// asked for, is recorded with what it stands for.
struct Call;
void record_thinned_call(const Call& call, std::uint64_t end, Function function,
                         std::int64_t result);
// The thread ends, or gives its chunk back: records what it left out since its last records.
void end_thinning_here();

}  // namespace prof::core

// Defines what PROF_COUNTING_GATE needs, for the assembler. The function is not called; the linker
// drops it. None of them is 0: linkers take such a constant for an undefined symbol.
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
