// Finds out who has made the stack that a thread runs on. Only if libc or the kernel has made it,
// nobody else uses the memory below the stack pointer.
#pragma once

#include <sys/types.h>

#include "collector/attach/target_memory.hpp"
#include "collector/ptrace/registers.hpp"

namespace prof::attach {

// True if the stopped thread has much room below its stack pointer, on a stack of libc's or on the
// process's first one. False if it is not known.
bool has_room_below(pid_t process, pid_t thread, const TargetMemory& memory,
                    const ptrace::Registers& registers);

}  // namespace prof::attach
