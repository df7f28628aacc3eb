// Processes that run beside the thread that made them and have all of its memory, its thread-local
// data too (clone with CLONE_VM, without a vfork's wait). Two that run at once cannot write with
// one thread state: nothing is recorded with it until the child has ended or exec'ed.
#pragma once

#include "injection/core/thread_state.hpp"

namespace prof::core {

// To be called before such a child is made. The kernel has to clear the word when the child leaves
// the memory (CLONE_CHILD_CLEARTID); if there is no child, the caller does. Null: none is free.
int* share_state();

// Have all children left? Then the thread, as nobody else can be asking, records again.
bool is_alone_again(ThreadState& thread);

}  // namespace prof::core
