#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>

namespace prof::unwind {

enum Register : unsigned {
  // clang-format off
  kX0, kX1, kX2, kX3, kX4, kX5, kX6, kX7, kX8, kX9, kX10, kX11, kX12, kX13, kX14, kX15,
  kX16, kX17, kX18, kX19, kX20, kX21, kX22, kX23, kX24, kX25, kX26, kX27, kX28, kX29, kX30,
  kSp, kPc
  // clang-format on
};
inline constexpr unsigned kRegisterCount = kPc + 1;
inline constexpr Register kProgramCounter = kPc, kStackPointer = kSp, kFramePointer = kX29;
// The register of the return address in call frame information. A call puts the address into x30.
inline constexpr Register kReturnAddress = kX30;
inline constexpr bool kCallsPush = false;

// Callee-saved registers: a function restores them before it returns. x30 is not callee-saved,
// because the call has changed it.
inline constexpr std::uint64_t kCalleeSaved =
    (std::uint64_t{1} << kX30) - (std::uint64_t{1} << kX19);

// The kernel's code that signal handlers return to has no call frame information. But when a
// handler returns to it, the stack pointer is at the signal frame, which has all registers.
inline constexpr bool kHasSignalFrameInfo = false;
inline constexpr std::uint64_t kRegistersInSignalFrame =
    sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext) + offsetof(mcontext_t, regs);

// Returns the address in a saved return address. Functions may sign the address: a code in the bits
// that addresses of programs do not use.
constexpr std::uint64_t plain_address(std::uint64_t saved) {
  constexpr unsigned kAddressBits = 48;
  return saved & ((std::uint64_t{1} << kAddressBits) - 1);
}

}  // namespace prof::unwind
