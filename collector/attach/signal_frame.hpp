// The frame that the kernel pushes on the stack for a signal handler.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>

namespace prof::attach {

// The first part of the frame, up to the last member that rt_sigreturn reads.
struct SignalFrame {
  std::uint64_t return_address;  // libc's code that calls rt_sigreturn
  std::uint64_t flags;
  std::uint64_t link;
  stack_t stack;
  mcontext_t registers;
  std::uint64_t mask;
};
static_assert(offsetof(SignalFrame, registers) == 48 && offsetof(SignalFrame, mask) == 304);

}  // namespace prof::attach
