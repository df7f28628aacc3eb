// Foreign threads: threads and child processes whose thread pointer (%fs, tpidr_el0) does not point
// to a thread control block of the C library. clone() with CLONE_SETTLS makes them, and coroutines
// that switch the thread pointer are foreign for a while. Our thread-local data lies beside the
// control block. Beside a foreign one there is memory of the program, or none, so it must not be
// read or written. What foreign threads do is forwarded and not recorded.
//
// They are found in two ways, which cost other threads nothing:
//
//  - If libc's functions make them (process/clone.cpp), threads_may_be_foreign() is true before the
//    first one runs, and every thread looks at its thread pointer.
//  - Otherwise the wrapper reads memory of the program in place of the ThreadState. Two of its
//    members must have values that other memory is unlikely to have (thread_state.hpp). This works
//    if the memory is mapped.
#pragma once

#include "injection/core/process_state.hpp"
#include "injection/core/thread_state.hpp"

namespace prof::core {

// These bits of ProcessState::features are the number of children in progress that may be foreign.
// All bits are set if threads may be foreign from now on.
inline constexpr std::uint32_t kForeignThreads = 0xe0000000;

inline bool threads_may_be_foreign() { return has_feature(kForeignThreads); }

// True if the calling thread's pointer is one of the C library. Reads the control block to which
// the thread pointer must point, and not our data (core/machine).
bool has_libc_pointer();

inline bool is_foreign_thread() { return threads_may_be_foreign() && !has_libc_pointer(); }

// Called before and after a child is made that may be foreign. In between threads may be foreign:
// until the parent continues.
void begin_foreign_child();
void end_foreign_child();
// Called when threads may be foreign from now on, in fork children too.
void expect_foreign_threads();

// Sets the features that the collector asked for.
void set_features(std::uint32_t asked);

// Makes the state of a new thread usable. A copy of another thread's state is reset. The thread
// must not be foreign.
void set_up(ThreadState& thread);

// True if the calling thread records no calls, because it works for prof or is foreign.
bool is_muted();

// The slow part of records_calls().
bool find_whether_recorded();

// Prepares has_libc_pointer(). Called by the constructor.
void prepare_pointer_check();

}  // namespace prof::core
