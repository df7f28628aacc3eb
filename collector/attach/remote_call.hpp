// Makes a stopped thread of the program start another thread there, and gives it back its
// registers.
#pragma once

#include <cstdint>

#include "collector/attach/code_page.hpp"
#include "collector/attach/target_memory.hpp"
#include "collector/ptrace/seized_thread.hpp"
#include "common/base/result.hpp"

namespace prof::attach {

// Addresses in libc of the program.
struct LibcFunctions {
  std::uint64_t mmap, pthread_create;
  std::uint64_t return_from_handler;  // what signal handlers return to: it calls rt_sigreturn
};

// Bytes of such code in libc.
extern const char kReturnFromHandler[];
inline constexpr std::size_t kReturnFromHandlerBytes = 9;

// The thread is stopped at a safe point (safe_point.hpp). It maps the page, calls pthread_create on
// a stack there, and then has the registers and the signal mask that it had before. Returns the
// address of the page; after a failure there is none any more. If prof is killed in between, the
// thread finishes this alone: everything that it calls returns to a signal frame with its
// registers. Then only an interrupted sleep or timed wait ends early (EINTR). `has_room`: the
// thread's own stack has room for the frame while the page is mapped (own_stack.hpp). If not,
// nothing is written there, and a thread whose prof is killed in these microseconds goes on after
// its interrupted call, which has another result.
base::Result<std::uint64_t> start_thread(ptrace::SeizedThread& thread, const TargetMemory& memory,
                                         const LibcFunctions& libc, const CodePage& page,
                                         bool has_room);

}  // namespace prof::attach
