// Handles child processes that run at the same time as the thread that made them and share all of
// its memory, including thread-local data (clone with CLONE_VM, without CLONE_VFORK). Both cannot
// write with one thread state at once, so nothing is recorded with it until the child has ended or
// called exec.
#pragma once

#include "injection/core/thread_state.hpp"

namespace prof::core {

// Call this before such a child is made. Returns a word that the kernel clears when the child
// leaves the memory (CLONE_CHILD_CLEARTID); if no child was made, the caller clears it. Returns
// null if no word is free.
int* share_state();

// If all children have left, makes `thread` record again and returns true.
bool resume_after_children(ThreadState& thread);

}  // namespace prof::core
