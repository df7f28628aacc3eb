// Registers and a copied piece of stack in, call chain out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/unwind/call_chain.hpp"
#include "collector/unwind/module_map.hpp"
#include "collector/unwind/registers.hpp"
#include "collector/unwind/stack_slice.hpp"

namespace prof::unwind {

enum class Policy : std::uint8_t {
  kAuto,          // call frame information, frame pointers where there is none
  kFrameInfo,     // call frame information alone
  kFramePointer,  // frame pointers alone
};

struct UnwindOptions {
  Policy policy = Policy::kAuto;
  std::size_t most_frames = 1024;
};

// Nothing that it is given is trusted: neither the stack, nor the registers, nor the files behind
// the map. One thread at a time, for each set of Modules.
class Unwinder {
 public:
  explicit Unwinder(UnwindOptions options = {}) : options_(options) {}

  // Overwrites `chain`, whose memory is used again.
  void unwind(const ModuleMap& map, std::uint64_t time, const Registers& registers,
              const StackSlice& stack, CallChain& chain);

 private:
  UnwindOptions options_;
};

}  // namespace prof::unwind
