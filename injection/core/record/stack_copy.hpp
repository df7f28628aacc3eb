// Copies of the calling thread's stack, for call chains of events. Nothing is unwound here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::core {

// Records registers and up to `limit` bytes of the stack (at most wire::kMostStackBytes) as those
// of the call that began at `start`, whose record comes next. The kernel copies, so that whatever
// lies above the stack pointer, and whoever unmaps it meanwhile, nothing faults. Where the buffer
// is half full, only that is recorded. Async-signal-safe, keeps errno.
void send_stack(std::uint64_t start, std::uint32_t limit, std::uint8_t flags);

// Copies up to `limit` bytes of the calling thread's stack from `stack` upwards, in the same safe
// way; where the kernel refuses, by itself, if it is certain that the memory is there. Returns the
// bytes, a multiple of the alignment of records, or a negative errno.
long copy_stack(std::uintptr_t stack, std::uint32_t limit, void* to);

// `arguments`: main's, which lie at the end of the main thread's stack.
void set_main_stack_end(const void* arguments);

}  // namespace prof::core
