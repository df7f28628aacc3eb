// What unwinding gives: the frames of a thread, innermost first, and how it ended.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace prof::unwind {

// How a frame was found from the one below it; nsys's ENUM_STACK_UNWIND_METHOD.
enum class UnwindMethod : std::uint8_t {
  kUnknown = 0,  // the innermost frame; one that called an address without code
  kFramePointer = 1,
  kEhFrame = 6,
  kDebugFrame = 7,
};

struct Frame {
  std::uint64_t address = 0;  // of the instruction to go on with
  UnwindMethod method = UnwindMethod::kUnknown;
  // The instruction itself was interrupted; else the address is where a call returns to, and what
  // it belongs to is found at address - 1: a call may be the last instruction of its function.
  bool is_exact = false;

  std::uint64_t lookup_address() const { return is_exact ? address : address - 1; }
};

enum class Stop : std::uint8_t {
  kComplete,          // at the start of the thread or program
  kTruncated,         // beyond the end of the copied stack
  kDepth,             // the most frames that were asked for
  kNoProgress,        // the caller's frame would not be above this one's
  kBadReturnAddress,  // not of executable memory
  kOutsideStack,      // the frame lies below the copied stack, as on another one
  kNoFrame,           // neither call frame information nor a frame pointer
  kExpression,        // call frame information that cannot be evaluated
  kUnknownRegister,   // it builds on a register whose value was lost
};

std::string_view describe(Stop stop);

struct CallChain {
  std::vector<Frame> frames;
  Stop stop = Stop::kComplete;

  bool is_complete() const { return stop == Stop::kComplete; }
};

}  // namespace prof::unwind
