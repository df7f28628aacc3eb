// Makes a call chain from registers and a stack copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/code/unwind/call_chain.hpp"
#include "common/code/unwind/module_map.hpp"
#include "common/code/unwind/registers.hpp"
#include "common/code/unwind/stack_slice.hpp"

namespace prof::unwind {

enum class Policy : std::uint8_t {
  kAuto,          // call frame information; where there is none, frame pointers
  kFrameInfo,     // only call frame information
  kFramePointer,  // only frame pointers
};

struct UnwindOptions {
  Policy policy = Policy::kAuto;
  std::size_t max_frames = 1024;
};

// Unwinds call chains. Trusts none of its input: not the stack copy, the registers, or the mapped
// files. Only one thread at a time may use unwinders that share Modules.
class Unwinder {
 public:
  explicit Unwinder(UnwindOptions options = {}) : options_(options) {}

  // Writes the call chain into `chain`, whose memory is reused.
  void unwind(const ModuleMap& map, std::uint64_t time, const Registers& registers,
              const StackSlice& stack, CallChain& chain);

 private:
  UnwindOptions options_;
};

}  // namespace prof::unwind
