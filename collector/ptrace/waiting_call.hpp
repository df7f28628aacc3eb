// The system call that a thread waits in, read from /proc before the thread is stopped, and since
// when it waits there.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>

namespace prof::ptrace {

struct WaitingCall {
  std::int64_t number = -1;
  std::array<std::uint64_t, 6> arguments{};
  std::uint64_t stack = 0;        // the thread's stack pointer
  std::uint64_t instruction = 0;  // after the one that makes the call
};

// Nothing: the thread runs, or the kernel does not allow the look.
std::optional<WaitingCall> waiting_call(pid_t thread);

// A limit of time of a call that would return EINTR after a stop. The kernel restarts all others by
// itself, with the rest of their time.
struct TimeLimit {
  enum class Kind {
    kNone,
    kMilliseconds,  // the argument itself
    kTimespec,      // the argument is its address
    kReceive,       // option SO_RCVTIMEO of the socket
    kSend,          // option SO_SNDTIMEO
  };
  Kind kind = Kind::kNone;
  unsigned argument = 0;  // which one has the limit, or the socket
};
TimeLimit time_limit(std::int64_t system_call);

// When a thread has begun to wait.
struct WaitBegin {
  std::uint64_t raw_time = 0;  // ns
  std::uint64_t waits = 0;     // how often the thread had begun to wait by then
};
// Takes some 100 us. Nothing: the kernel does not say it, or this thread may not run on the CPU
// whose clock the answer needs.
std::optional<WaitBegin> wait_begin(pid_t thread);
// How often the thread has begun to wait; 0: not known.
std::uint64_t waits_of(pid_t thread);
// The thread is stopped. Was it still in that wait when the stop interrupted it?
bool is_same_wait(pid_t thread, const WaitBegin& begin);

// Would the thread take a signal now?
bool has_signal(pid_t thread);

}  // namespace prof::ptrace
