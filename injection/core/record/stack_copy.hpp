// Stack copies: part of the calling thread's stack, from which the collector unwinds the call chain
// of an event.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::core {

// Records registers and up to `limit` bytes of the stack (at most wire::kMaxStackBytes) for the
// call that began at `start`, whose record comes next. The kernel copies the bytes, so nothing
// faults if the memory is not mapped. If the buffer is half full, only a note of the missing copy
// is recorded. Async-signal-safe, keeps errno.
void send_stack(std::uint64_t start, std::uint32_t limit, std::uint8_t flags);

// Copies up to `limit` bytes of the calling thread's stack from `stack` upwards, by the kernel. If
// the kernel refuses, copies them directly, but only if the memory is certainly mapped. Returns the
// number of bytes, a multiple of the alignment of records, or a negative errno.
long copy_stack(std::uintptr_t stack, std::uint32_t limit, void* to);

// `arguments` are those of main. They lie at the end of the main thread's stack.
void set_main_stack_end(const void* arguments);

}  // namespace prof::core
