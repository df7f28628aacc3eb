// Finds the frame of a function by following its instructions from an address to the return,
// without branches. This serves short code without call frame information: JIT compilers put
// "trampolines" between an interpreter and its functions, which only push and pop around a call.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "common/code/unwind/registers.hpp"

namespace prof::unwind {

// A place in memory: the current value of a register plus `offset`.
struct SavedAt {
  Register base = kStackPointer;
  std::int64_t offset = 0;
};

struct StraightFrame {
  SavedAt return_address;  // its place; the caller's stack pointer is 8 bytes above it
  // Callee-saved registers that are popped before the return. The other ones are unchanged.
  std::pair<Register, SavedAt> restored[6];
  std::size_t restored_count = 0;
};

// Returns the frame. Returns nothing if another kind of instruction comes before the return, or if
// the bytes end first.
std::optional<StraightFrame> follow_straight_code(std::span<const std::byte> code);

}  // namespace prof::unwind
