// The system call that prof has interrupted by stopping its thread. The kernel restarts most calls
// after a stop. Some, like epoll_wait, would return EINTR instead (signal(7), "Interruption of
// system calls and library functions by stop signals"), which a program without signal handlers
// does not expect. These are restarted here, with the rest of their time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collector/ptrace/memory.hpp"
#include "collector/ptrace/seized_thread.hpp"
#include "collector/ptrace/waiting_call.hpp"

namespace prof::ptrace {

// What is known about a waiting thread before it is stopped.
struct BeforeStop {
  std::optional<WaitingCall> call;
  std::optional<WaitBegin> begin;  // only for calls that have a limit of time and may return EINTR
};
BeforeStop look_before_stop(pid_t thread);
// Does the call have a limit of time that would make it return EINTR after a stop?
bool may_fail_in_time(pid_t thread, const WaitingCall& call);

// A call that returns EINTR if nothing is done about it.
struct FailedCall {
  std::int64_t number = -1;
  std::uint64_t first_argument = 0;
  std::optional<WaitBegin> begin;  // nothing: not known
};
// Nothing: the stop has not made a call fail. `registers` are those of the thread that has just
// been stopped.
std::optional<FailedCall> failed_call(pid_t thread, const Memory& memory,
                                      const Registers& registers, const BeforeStop& before);

// Threads that are in their call again but still traced: detaching would interrupt it once more.
// The kernel lets them go when the tracing thread ends, which should be soon: until then their
// signals come, and their calls return, only when poll() is called.
class ResumedThreads {
 public:
  ResumedThreads() = default;
  ~ResumedThreads();
  ResumedThreads(ResumedThreads&&) = default;
  ResumedThreads& operator=(ResumedThreads&&) = delete;
  void add(SeizedThread thread) { threads_.push_back(std::move(thread)); }
  // Lets those go that a signal or the end of their call has stopped.
  void poll();

 private:
  std::vector<SeizedThread> threads_;
};

// Lets the thread go on, and restarts the call that the stop has made fail, unless a signal is to
// interrupt it. The thread is stopped by interrupt() or stop_again(), with the registers that it
// had at failed_call(). Returns when the wait had begun first, and the thread's waits by now, if
// the program's own limit is as before: it is to be counted from then, also after another stop.
std::optional<WaitBegin> go_on(SeizedThread thread, pid_t process, const Memory& memory,
                               const std::optional<FailedCall>& call, ResumedThreads& resumed);

}  // namespace prof::ptrace
