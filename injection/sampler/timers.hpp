// A timer for each sampled thread, on the clock of the CPU time that it uses: a thread that waits
// is never interrupted. On x86-64 and Linux 5.10 the kernel looks at these timers on the thread's
// way back into the program, so no system call ever sees the signal (docs/decisions/0017).
#pragma once

#include "injection/core/thread_state.hpp"

namespace prof::sampler {

// What the timers' signals carry: others are not ours.
void* timer_mark();

// Gives the calling thread a timer; 0 or an errno.
int arm(core::ThreadState& thread, int signal, std::uint64_t period_ns);
// Takes it away; any thread's own, also one that has none.
void disarm(core::ThreadState& thread);
// Those of all threads of this process image.
void disarm_all();

}  // namespace prof::sampler
