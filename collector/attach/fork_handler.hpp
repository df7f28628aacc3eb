// The handler that makes fork() wait while the library is loaded. libc calls the handler without a
// lock, so a thread can still be in it, or about to enter it, after it has been removed.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "collector/attach/target_memory.hpp"

namespace prof::attach {

// True if all threads of the process have left the handler in this page. The handler makes no
// system call, so a thread that waits in a system call and has no address of the page on its stack
// is not in the handler. (If a signal had interrupted the handler, the stack would have such an
// address.) False if a thread runs all the time. Takes 10 ms at most.
bool have_left_handler(pid_t process, const TargetMemory& memory, std::uint64_t page_at);

}  // namespace prof::attach
