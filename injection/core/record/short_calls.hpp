// Counts the calls that are too short for a record, by thread and function. The counters lie at the
// end of the thread's chunk, where the collector finds them however the program ends.
#pragma once

#include <cstdint>

#include "injection/core/function.hpp"
#include "injection/core/live.hpp"
#include "injection/core/machine/machine.hpp"
#include "injection/core/thread_state.hpp"

namespace prof::core {

// The same as count_short_call() for a function that has no counter in the thread's chunk, or whose
// slot another function uses.
void count_short_call_slowly(Function function, std::uint64_t start, std::uint64_t end);

// The same for several calls, of which this one stands for all (--max-overhead).
void count_short_calls(Function function, std::uint64_t start, std::uint64_t end,
                       std::uint32_t calls);

// Counts the short calls that a fork child made before it joined. To be called when it has joined.
void count_early_calls();

// A signal handler that counts in between loses nothing.
[[gnu::always_inline]] inline void add_to(wire::ShortCallCounter& counter, std::uint64_t time) {
  machine::increment(counter.calls);
  machine::add(counter.time, time);
}

// Counts a call of a thread that records its calls. Costs a dozen instructions, no branch taken. A
// fork child still has its parent's state: the live word says so.
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
