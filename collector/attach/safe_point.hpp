// Where a stopped thread may be made to call a function of libc, pthread_create. That function
// takes the locks of malloc and of libc's list of threads, so the thread must not hold them.
//
// - A thread that waits in a system call of libc: one that libc makes under none of these locks. A
//   wait for a low-level lock is not among them.
// - If there is none for a while: a thread that runs code of the program itself. malloc may be in
//   there too, if the program brings its own. Such objects do not count.
// In both cases the thread runs on its own stack, not on one of a coroutine or a signal handler,
// and seccomp does not confine it. If there is a signal handler further out, what it interrupted is
// such a point too, or a change of the signal mask. PostgreSQL up to 15 starts processes in a
// handler, where they stay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/attach/signal_frame.hpp"
#include "collector/attach/target_memory.hpp"
#include "collector/ptrace/registers.hpp"

namespace prof::attach {

class SafePoints {
 public:
  // `memory` has read its mappings and outlives the object. `return_from_handler` is libc's code
  // that every signal handler returns to.
  SafePoints(pid_t process, const TargetMemory& memory, std::uint64_t return_from_handler);

  // Those threads that may be at a safe point, first those that stopping disturbs least. Asked
  // before they are stopped.
  std::vector<pid_t> promising(const std::vector<pid_t>& threads, bool may_run) const;
  // Is the stopped thread at one?
  bool is_safe(pid_t thread, const ptrace::Registers& registers, bool may_run) const;

 private:
  std::optional<int> disturbance(pid_t thread, bool may_run) const;
  bool waits_safely(std::int64_t system_call, std::uint64_t operation,
                    std::uint64_t instruction) const;
  bool runs_safely(std::uint64_t instruction) const;
  bool is_on_own_stack(pid_t thread, const ptrace::Registers& registers) const;
  bool are_handlers_safe(const ptrace::Registers& registers, bool may_run) const;
  bool was_safe(const SignalFrame& frame, bool may_run) const;

  pid_t process_;
  const TargetMemory& memory_;
  const Module* libc_;
  std::uint64_t return_from_handler_;
  std::uint64_t change_mask_ = 0;      // libc's pthread_sigmask
  std::vector<const Module*> unsafe_;  // libc, the loader, and whatever defines malloc
};

}  // namespace prof::attach
