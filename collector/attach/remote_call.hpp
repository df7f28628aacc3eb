// Makes a stopped thread of the program start another thread there, and gives it back its
// registers.
#pragma once

#include <cstdint>

#include "collector/attach/code_page.hpp"
#include "collector/attach/target_memory.hpp"
#include "collector/base/result.hpp"
#include "collector/ptrace/seized_thread.hpp"

namespace prof::attach {

// Addresses in libc of the program.
struct LibcFunctions {
  std::uint64_t mmap, pthread_create;
  std::uint64_t return_from_handler;  // what signal handlers return to: it calls rt_sigreturn
};

// Bytes of such code in libc.
extern const char kReturnFromHandler[];
inline constexpr std::size_t kReturnFromHandlerBytes = 9;

// The thread is stopped at a safe point (safe_point.hpp). It maps the page, calls pthread_create,
// and then has the registers, the signal mask and the interrupted system call that it had before,
// and is not traced any more. Returns the address of the page. If prof is killed in between, the
// thread finishes this alone: everything that it calls returns to a signal frame with its
// registers. Then only an interrupted sleep or timed wait ends early (EINTR).
base::Result<std::uint64_t> start_thread(ptrace::SeizedThread& thread, const TargetMemory& memory,
                                         const LibcFunctions& libc, const CodePage& page);

}  // namespace prof::attach
