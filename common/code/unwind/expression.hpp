// Evaluates DWARF expressions of call frame information. Expressions describe PLT entries, whose
// frame depends on the instruction, and signal frames, which contain all registers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/code/unwind/registers.hpp"
#include "common/code/unwind/stack_slice.hpp"

namespace prof::unwind {

struct Operation {
  std::uint8_t code = 0;   // DW_OP_…
  std::int64_t first = 0;  // for a branch: the index of the next operation
  std::int64_t second = 0;
};

// Longer expressions are rejected when the file is read.
inline constexpr std::size_t kMaxOperations = 64;

// Returns the value on top of the evaluation stack. Returns nothing for operations that frames do
// not need, reads outside of `stack`, unknown registers, and expressions with too many steps. `cfa`
// is the value of DW_OP_call_frame_cfa.
std::optional<std::uint64_t> evaluate(std::span<const Operation> operations,
                                      const Registers& registers, const StackSlice& stack,
                                      std::uint64_t cfa);

}  // namespace prof::unwind
