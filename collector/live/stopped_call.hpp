// The registers of a thread that prof has stopped, and the system call that the stop has
// interrupted. What depends on the processor is in machine/.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <optional>

#include "collector/live/thread_copy.hpp"
#include "collector/ptrace/memory.hpp"
#include "collector/ptrace/seized_thread.hpp"

namespace prof::live {

unwind::Registers to_unwind(const user_regs_struct& from);

// The call that a waiting thread is in, as the kernel says. None: it runs, or that is not allowed.
std::optional<SystemCall> call_of_unstopped(pid_t pid, pid_t thread);

// The same, if the other two functions need it.
std::optional<SystemCall> call_before_stop(pid_t pid, pid_t thread);

std::optional<SystemCall> system_call_of(const ptrace::Memory& memory,
                                         const ptrace::Registers& registers,
                                         const std::optional<SystemCall>& before);

// The kernel restarts most system calls after a stop. Some, like epoll_wait, would return EINTR,
// which the program may not expect. They are begun again, if no signal is to interrupt them.
void hide_interruption(pid_t pid, ptrace::SeizedThread& thread, const ptrace::Memory& memory,
                       ptrace::Registers registers, const std::optional<SystemCall>& before);

// Would the thread take a signal now?
bool has_signal(pid_t pid, pid_t thread);

}  // namespace prof::live
