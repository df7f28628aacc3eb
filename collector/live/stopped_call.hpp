// The registers of a thread that prof has stopped, and the system call that the stop has
// interrupted. What depends on the processor is in machine/.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <optional>

#include "collector/live/thread_copy.hpp"
#include "collector/ptrace/interrupted_call.hpp"
#include "collector/ptrace/memory.hpp"

namespace prof::live {

unwind::Registers to_unwind(const user_regs_struct& from);

// Returns the call that a waiting thread is in, according to the kernel. Nothing if the thread
// runs, or if prof may not ask.
std::optional<SystemCall> call_of_unstopped(pid_t thread);

// Returns the call that the stop has interrupted. `failed`: the call would return EINTR.
std::optional<SystemCall> system_call_of(const ptrace::Memory& memory,
                                         const ptrace::Registers& registers,
                                         const ptrace::BeforeStop& before,
                                         const std::optional<ptrace::FailedCall>& failed);

}  // namespace prof::live
