// The frame of a function as its own instructions show it: from an address straight on to the
// return. For code that nobody describes, whose end is near: what a JIT compiler puts between an
// interpreter and its functions ("trampolines") pushes and pops a little around a call.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "collector/unwind/registers.hpp"

namespace prof::unwind {

// In memory at the value that a register has now, plus that.
struct SavedAt {
  Register base = kRsp;
  std::int64_t offset = 0;
};

struct StraightFrame {
  SavedAt return_address;  // the caller's stack pointer is 8 higher
  // Callee-saved registers that are taken off the stack before the return; others are unchanged.
  std::pair<Register, SavedAt> restored[6];
  std::size_t restored_count = 0;
};

// None where the instructions do other things than calls and the like before they return, or go on
// beyond the bytes.
std::optional<StraightFrame> follow_straight_code(std::span<const std::byte> code);

}  // namespace prof::unwind
