// DWARF expressions of call frame information: how a PLT entry's frame depends on the instruction,
// where a signal frame keeps its registers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "collector/unwind/registers.hpp"
#include "collector/unwind/stack_slice.hpp"

namespace prof::unwind {

struct Operation {
  std::uint8_t code = 0;   // DW_OP_…
  std::int64_t first = 0;  // of a branch: the index of the operation to go on with
  std::int64_t second = 0;
};

// An expression as in the file is refused if it is longer.
inline constexpr std::size_t kMostOperations = 64;

// The value that is left on top of the stack; none for operations that frames do not need, reads
// outside of the slice, registers that are not known, and expressions that go on for too long.
// `cfa` is what DW_OP_call_frame_cfa stands for.
std::optional<std::uint64_t> evaluate(std::span<const Operation> operations,
                                      const Registers& registers, const StackSlice& stack,
                                      std::uint64_t cfa);

}  // namespace prof::unwind
