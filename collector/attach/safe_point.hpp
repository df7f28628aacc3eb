// Decides at which points a stopped thread may be made to call a function of libc, pthread_create.
// pthread_create takes the locks of malloc and of libc's list of threads, so the thread must not
// hold them. Safe are:
// - A thread that waits in a system call that libc makes under none of these locks. A wait for a
//   low-level lock does not count.
// - If no thread waits like that for a while: a thread that runs code of the program itself, but
//   not of an object that defines malloc, because a program may bring its own malloc.
//
// In both cases the thread runs on its own stack, not on that of a coroutine or a signal handler,
// and seccomp does not confine it. If the thread is in a signal handler further out, the handler
// must have interrupted such a point or a change of the signal mask: PostgreSQL up to 15 starts
// processes in a handler, where they stay.
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
  // `memory` has already read its mappings and outlives the object. `return_from_handler` is libc's
  // code that every signal handler returns to.
  SafePoints(pid_t process, const TargetMemory& memory, std::uint64_t return_from_handler);

  // Returns the threads that may be at a safe point, first those that a stop disturbs least. Called
  // before any is stopped.
  std::vector<pid_t> promising(const std::vector<pid_t>& threads, bool may_run) const;
  // True if the stopped thread is at a safe point.
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
  std::vector<const Module*> unsafe_;  // libc, the loader, and each module that defines malloc
};

}  // namespace prof::attach
