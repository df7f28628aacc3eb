// Each sampled thread has a timer that counts its CPU time, so a waiting thread is never
// interrupted. With x86-64 and Linux 5.10 or newer, the kernel checks these timers on the thread's
// way back into the program, so the signal interrupts no system call (docs/decisions/0017).
#pragma once

#include "injection/core/thread_state.hpp"

namespace prof::sampler {

// Returns the value that the signals of prof's timers carry. Signals with another value come from
// elsewhere.
void* timer_mark();

// Starts a timer for the calling thread. Returns 0 or an errno.
int arm(core::ThreadState& thread, int signal, std::uint64_t period_ns);
// Stops the timer of any thread. Does nothing if the thread has none.
void disarm(core::ThreadState& thread);
// Stops the timers of all threads of this process image.
void disarm_all();

}  // namespace prof::sampler
