// The system call that a thread waits in, and since when, read from /proc before the thread is
// stopped.
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
  std::uint64_t instruction = 0;  // address after the instruction that makes the call
};

// Returns nothing if the thread runs, or the kernel does not allow prof to look.
std::optional<WaitingCall> waiting_call(pid_t thread);

// The time limit of a call that would return EINTR after a stop. The kernel restarts all other
// calls by itself, with the rest of their time.
struct TimeLimit {
  enum class Kind {
    kNone,
    kMilliseconds,  // the argument is the limit
    kTimespec,      // the argument is the address of the limit
    kReceive,       // the limit is option SO_RCVTIMEO of the socket
    kSend,          // the limit is option SO_SNDTIMEO of the socket
  };
  Kind kind = Kind::kNone;
  unsigned argument = 0;  // number of the argument that has the limit, or the socket
};
TimeLimit time_limit(std::int64_t system_call);

// The moment at which a thread began to wait.
struct WaitBegin {
  std::uint64_t raw_time = 0;  // ns
  std::uint64_t waits = 0;     // how often the thread had begun to wait until then
};
// Takes about 100 us. Returns nothing if the kernel does not know it, or if this thread may not run
// on the CPU whose clock it needs.
std::optional<WaitBegin> wait_begin(pid_t thread);
// Returns how often the thread has begun to wait, or 0 if that is not known.
std::uint64_t waits_of(pid_t thread);
// True if the thread, which is stopped now, was still in that wait when the stop interrupted it.
bool is_same_wait(pid_t thread, const WaitBegin& begin);

// True if a signal is pending that the thread would take now.
bool has_signal(pid_t thread);

}  // namespace prof::ptrace
