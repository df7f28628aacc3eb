// The handler that makes fork() wait while the library is loaded. libc calls it without a lock, so
// a thread can be about to enter it, or be in it, when it has been taken away.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "collector/attach/target_memory.hpp"

namespace prof::attach {

// Have all threads of the process left the handler in this page? The handler makes no system call,
// so a thread that waits in one, and has no address of the page on its stack, is not in it: a
// thread with a signal handler on top would have both. False if a thread runs all the time. Takes
// 10 ms at most.
bool have_left_handler(pid_t process, const TargetMemory& memory, std::uint64_t page_at);

}  // namespace prof::attach
