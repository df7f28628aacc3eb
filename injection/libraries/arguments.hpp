// The arguments of a call that trampolines_*.S pass to leave_call().
#pragma once

#include <cstdint>

namespace prof::libraries {

// The arguments of a call that are integers or pointers.
class Arguments {
 public:
  // `registers`: the values of the registers for arguments, in the order of the parameters.
  // `stack`: the arguments that follow.
  Arguments(const std::uint64_t* registers, const std::uint64_t* stack)
      : registers_(registers), stack_(stack) {}

  std::uint64_t word(std::uint32_t position) const {
    return position < kRegisters ? registers_[position] : stack_[position - kRegisters];
  }
  const void* pointer(std::uint32_t position) const {
    return reinterpret_cast<const void*>(word(position));
  }

 private:
#if defined(__x86_64__)
  static constexpr std::uint32_t kRegisters = 6;
#else
  static constexpr std::uint32_t kRegisters = 8;
#endif
  const std::uint64_t* registers_;
  const std::uint64_t* stack_;
};

}  // namespace prof::libraries
