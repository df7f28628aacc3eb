// Walks the frames of a Python thread, innermost first. The memory can belong to this process, to
// another process, or to a test.
//
// A Memory class has `template <class T> bool read(std::uint64_t address, T& value)`, which returns
// false if the memory cannot be read. It only gets addresses where objects can be.
#pragma once

#include "common/wire/python_frames/python_layout.hpp"

namespace prof::python_frames {

// The maximum number of frames of a call chain. The innermost ones are kept.
inline constexpr std::uint32_t kMaxPythonFrames = 128;

// The position of a frame in its code is not known. Usually the frame has not begun its first
// instruction.
inline constexpr std::uint32_t kUnknownInstruction = 0xffffffff;
inline constexpr std::uint32_t kLongestBytecode = 1 << 26;

struct PythonFrame {
  std::uint64_t code;         // address of the code object
  std::uint32_t instruction;  // offset in its bytecode, bytes; or kUnknownInstruction
  // True if native code lies between this frame and the frame that it called.
  bool below_native;
};

enum class PythonStackEnd { kComplete, kMaxDepth, kBroken };

constexpr bool may_be_object(std::uint64_t address) {
  constexpr std::uint64_t kLowest = 0x10000;  // nothing is mapped below this
  constexpr std::uint64_t kEndOfUserSpace = std::uint64_t{1} << 47;
  return address % 8 == 0 && address >= kLowest && address < kEndOfUserSpace;
}

namespace detail {

template <class Memory>
class PythonStack {
 public:
  PythonStack(Memory& memory, const PythonLayout& layout, std::uint64_t code_type)
      : memory_(memory), layout_(layout), code_type_(code_type) {}

  bool innermost(std::uint64_t thread_state, std::uint64_t& frame) {
    if (!word(thread_state, layout_.frame_holder, frame)) return false;
    return layout_.holder_frame == kNoHolder || frame == 0 ||
           word(frame, layout_.holder_frame, frame);
  }

  bool caller(std::uint64_t frame, std::uint64_t& back) {
    return word(frame, layout_.frame_back, back);
  }

  // The interpreter inserts frames (shims) that belong to no function.
  bool describe(std::uint64_t frame, PythonFrame& found, bool& is_function) {
    is_function = false;
    if (layout_.frame_owner != 0) {
      std::uint8_t owner = 0;
      if (!read(frame, layout_.frame_owner, owner)) return false;
      if (owner >= kPythonFirstShim) return true;
    }
    std::uint64_t type = 0;
    if (!word(frame, layout_.frame_code, found.code)) return false;
    found.code &= ~std::uint64_t{7};  // from 3.13 on the low bits are flags
    if (!word(found.code, layout_.object_type, type)) return false;
    if (type != code_type_) return layout_.version >= python_version(3, 13);
    is_function = true;
    return locate(frame, found);
  }

  // Sets `entry` to whether native code called the interpreter for this frame. From 3.12 on a shim
  // frame marks that.
  bool is_entry(std::uint64_t frame, bool& entry) {
    entry = layout_.version < python_version(3, 11);
    if (layout_.frame_entry == 0) return true;
    std::uint8_t value = 0;
    if (!read(frame, layout_.frame_entry, value)) return false;
    entry = value != 0;
    return true;
  }

 private:
  template <class T>
  bool read(std::uint64_t object, std::uint32_t offset, T& value) {
    return may_be_object(object) && memory_.read(object + offset, value);
  }
  bool word(std::uint64_t object, std::uint32_t offset, std::uint64_t& value) {
    return read(object, offset, value);
  }

  bool locate(std::uint64_t frame, PythonFrame& found) {
    std::int64_t at = 0;
    if (layout_.instr == PythonLayout::Instr::kPointer) {
      std::uint64_t instruction = 0;
      std::uint64_t bytecode = 0;
      if (!word(frame, layout_.frame_instr, instruction) || !find_bytecode(frame, found, bytecode))
        return false;
      at = static_cast<std::int64_t>(instruction - bytecode);
    } else {
      std::int32_t index = 0;
      if (!read(frame, layout_.frame_instr, index)) return false;
      at = layout_.instr == PythonLayout::Instr::kIndex ? std::int64_t{2} * index : index;
    }
    const bool inside = at >= 0 && at < kLongestBytecode;
    found.instruction = inside ? static_cast<std::uint32_t>(at) : kUnknownInstruction;
    return true;
  }

  // In free-threaded builds each thread has a separate specialized copy of the bytecode.
  bool find_bytecode(std::uint64_t frame, const PythonFrame& found, std::uint64_t& bytecode) {
    bytecode = found.code + layout_.code_bytecode;
    if (layout_.frame_tlbc == 0 || layout_.code_tlbc == 0) return true;
    constexpr std::uint64_t kMaxThreads = 1 << 20;
    std::int32_t index = 0;
    std::uint64_t copies = 0;
    std::uint64_t count = 0;
    if (!read(frame, layout_.frame_tlbc, index) || !word(found.code, layout_.code_tlbc, copies) ||
        !word(copies, 0, count))
      return false;
    const auto copy = static_cast<std::uint64_t>(index);
    if (index < 0 || copy >= count || count > kMaxThreads) return true;
    return word(copies, static_cast<std::uint32_t>(8 + 8 * copy), bytecode);
  }

  Memory& memory_;
  const PythonLayout& layout_;
  std::uint64_t code_type_;
};

}  // namespace detail

// Calls `visit(const PythonFrame&)`, or `visit(const PythonFrame&, address)`, for `frame` (0: none)
// and its callers, for at most `most` frames. `code_type` is the address of PyCode_Type.
template <class Memory, class Visit>
PythonStackEnd walk_python_frames(Memory& memory, const PythonLayout& layout,
                                  std::uint64_t code_type, std::uint64_t frame, std::uint32_t most,
                                  Visit visit) {
  constexpr std::uint32_t kShimsPerFrame = 2;  // with more, the frames form a circle
  detail::PythonStack<Memory> stack(memory, layout, code_type);
  std::uint32_t functions = 0;
  bool below_native = false;
  for (std::uint32_t steps = 0; frame != 0; ++steps) {
    PythonFrame found{};
    bool is_function = false;
    if (steps > kShimsPerFrame * (most + 1) || !stack.describe(frame, found, is_function))
      return PythonStackEnd::kBroken;
    if (is_function) {
      if (functions == most) return PythonStackEnd::kMaxDepth;
      found.below_native = functions != 0 && below_native;
      ++functions;
      if (!stack.is_entry(frame, below_native)) return PythonStackEnd::kBroken;
      if constexpr (requires { visit(found, frame); })
        visit(found, frame);
      else
        visit(found);
    } else {
      below_native = true;
    }
    if (!stack.caller(frame, frame)) return PythonStackEnd::kBroken;
  }
  return PythonStackEnd::kComplete;
}

// Walks the frames of a thread state, beginning with its current frame.
template <class Memory, class Visit>
PythonStackEnd walk_python_stack(Memory& memory, const PythonLayout& layout,
                                 std::uint64_t code_type, std::uint64_t thread_state,
                                 std::uint32_t most, Visit visit) {
  std::uint64_t frame = 0;
  if (!detail::PythonStack<Memory>(memory, layout, code_type).innermost(thread_state, frame))
    return PythonStackEnd::kBroken;
  return walk_python_frames(memory, layout, code_type, frame, most, visit);
}

}  // namespace prof::python_frames
