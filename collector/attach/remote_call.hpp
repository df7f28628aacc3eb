// Makes a stopped thread of the program start another thread there, and restores the registers of
// the first.
#pragma once

#include <cstdint>

#include "collector/attach/code_page.hpp"
#include "collector/attach/target_memory.hpp"
#include "collector/ptrace/seized_thread.hpp"
#include "common/base/result.hpp"

namespace prof::attach {

// Addresses of functions in the program's libc.
struct LibcFunctions {
  std::uint64_t mmap, pthread_create;
  // What signal handlers return to: code that calls rt_sigreturn.
  std::uint64_t return_from_handler;
};

// The bytes of the code in libc that signal handlers return to.
extern const char kReturnFromHandler[];
inline constexpr std::size_t kReturnFromHandlerBytes = 9;

// Makes the thread, which is stopped at a safe point (safe_point.hpp), map the page and call
// pthread_create on a stack there. Then the thread has its former registers and signal mask again.
// Returns the address of the page; after a failure the page is unmapped. If prof is killed in
// between, the thread finishes this alone, because all functions that it calls return to a signal
// frame with its registers. Then only an interrupted sleep or timed wait ends early (EINTR).
// `has_room`: the thread's own stack has room for the frame while the page is mapped
// (own_stack.hpp). If not, nothing is written there. If prof is then killed in these microseconds,
// the thread goes on after its interrupted call, which has another result.
base::Result<std::uint64_t> start_thread(ptrace::SeizedThread& thread, const TargetMemory& memory,
                                         const LibcFunctions& libc, const CodePage& page,
                                         bool has_room);

}  // namespace prof::attach
