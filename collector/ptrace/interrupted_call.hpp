// The system call that prof has interrupted by stopping its thread. The kernel restarts most calls
// after a stop. Some, like epoll_wait, would return EINTR instead (signal(7), "Interruption of
// system calls and library functions by stop signals"), which a program without signal handlers
// does not expect. prof restarts these calls with the rest of their time.
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
  std::optional<WaitBegin> begin;  // only for calls that have a time limit and may return EINTR
};
BeforeStop look_before_stop(pid_t thread);
// True if the call has a time limit that would make it return EINTR after a stop.
bool may_fail_in_time(pid_t thread, const WaitingCall& call);

// A call that returns EINTR unless prof restarts it.
struct FailedCall {
  std::int64_t number = -1;
  std::uint64_t first_argument = 0;
  std::optional<WaitBegin> begin;  // nothing: not known
};
// Returns nothing if the stop has not made a call fail. `registers` are those of the thread, which
// has just been stopped.
std::optional<FailedCall> failed_call(pid_t thread, const Memory& memory,
                                      const Registers& registers, const BeforeStop& before);

// Threads that are in their call again but still traced, because detaching would interrupt the call
// once more. The kernel releases them when the tracing thread ends. That should be soon: until then
// their signals are delivered, and their calls return, only when poll() is called.
class ResumedThreads {
 public:
  ResumedThreads() = default;
  ~ResumedThreads();
  ResumedThreads(ResumedThreads&&) = default;
  ResumedThreads& operator=(ResumedThreads&&) = delete;
  void add(SeizedThread thread) { threads_.push_back(std::move(thread)); }
  // Resumes the threads that a signal or the end of their call has stopped.
  void poll();

 private:
  std::vector<SeizedThread> threads_;
};

// Resumes the thread, and restarts the call that the stop has made fail, unless a signal is to
// interrupt that call. The thread is stopped by interrupt() or stop_again(), with the registers
// that it had at failed_call(). If the program's own limit is unchanged, returns when the wait
// first began, and how often the thread has begun to wait. The rest of the time counts from that
// moment, also after another stop.
std::optional<WaitBegin> go_on(SeizedThread thread, pid_t process, const Memory& memory,
                               const std::optional<FailedCall>& call, ResumedThreads& resumed);

}  // namespace prof::ptrace
