// Counts the calls that are too short for a record, by thread and function. The counters lie at the
// end of the thread's chunk, where the collector finds them however the program ends.
#pragma once

#include <cstdint>

#include "injection/core/function.hpp"
#include "injection/core/live.hpp"
#include "injection/core/machine/machine.hpp"
#include "injection/core/thread_state.hpp"

namespace prof::core {

// Counts a short call of a function that has no counter in the thread's chunk, or whose slot
// another function uses.
void count_short_call_slowly(Function function, std::uint64_t start, std::uint64_t end);

// Counts several short calls, represented by this one (--max-overhead).
void count_short_calls(Function function, std::uint64_t start, std::uint64_t end,
                       std::uint32_t calls);

// Counts the short calls that a fork child made before it joined. Call it when the child has
// joined.
void count_early_calls();

// Nothing is lost if a signal handler counts in between.
[[gnu::always_inline]] inline void add_to(wire::ShortCallCounter& counter, std::uint64_t time) {
  machine::increment(counter.calls);
  machine::add(counter.time, time);
}

// Counts a call of a thread that records its calls. Takes a dozen instructions and no taken branch.
// A fork child that still has its parent's state is detected by the live word.
[[gnu::always_inline]] inline void count_short_call(Function function, std::uint64_t start,
                                                    std::uint64_t end) {
  const ThreadState& t = t_state;
  const std::uint32_t number = t.counter_of[slot_of(function)];
  if (number != 0 && t.serial == live_word()) [[likely]] {
    wire::ShortCallCounter& counter = *(t.counters - number);
    if (counter.function == function.id) [[likely]]
      return add_to(counter, end - start);
  }
  count_short_call_slowly(function, start, end);
}

}  // namespace prof::core
