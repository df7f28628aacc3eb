// The result of unwinding: the frames of a thread, innermost first, and why unwinding stopped.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace prof::unwind {

// How a frame was found from the frame that it called. The numbers are those of nsys's
// ENUM_STACK_UNWIND_METHOD.
enum class UnwindMethod : std::uint8_t {
  kUnknown = 0,  // the innermost frame, or the caller of an address without code
  kFramePointer = 1,
  kEhFrame = 6,
  kDebugFrame = 7,
};

struct Frame {
  std::uint64_t address = 0;  // of the next instruction
  UnwindMethod method = UnwindMethod::kUnknown;
  // True if the thread was interrupted at this instruction. False if the address is a return
  // address: then the function is looked up at address - 1, because a call may be the last
  // instruction of its function.
  bool is_exact = false;

  std::uint64_t lookup_address() const { return is_exact ? address : address - 1; }
};

enum class Stop : std::uint8_t {
  kComplete,          // reached the start of the thread or program
  kTruncated,         // the frame is beyond the end of the stack copy
  kDepth,             // reached the limit of frames
  kNoProgress,        // the caller's frame is not above this frame
  kBadReturnAddress,  // the return address is not in executable memory
  kOutsideStack,      // the frame is below the stack copy, for example on another stack
  kNoFrame,           // no call frame information and no frame pointer
  kExpression,        // call frame information cannot be evaluated
  kUnknownRegister,   // a needed register has no known value
};

std::string_view describe(Stop stop);

struct CallChain {
  std::vector<Frame> frames;
  Stop stop = Stop::kComplete;

  bool is_complete() const { return stop == Stop::kComplete; }
};

}  // namespace prof::unwind
