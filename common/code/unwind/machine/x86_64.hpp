#pragma once

#include <cstdint>

namespace prof::unwind {

enum Register : unsigned {
  // clang-format off
  kRax, kRdx, kRcx, kRbx, kRsi, kRdi, kRbp, kRsp,
  kR8, kR9, kR10, kR11, kR12, kR13, kR14, kR15, kRip
  // clang-format on
};
inline constexpr unsigned kRegisterCount = kRip + 1;
inline constexpr Register kProgramCounter = kRip, kStackPointer = kRsp, kFramePointer = kRbp;
// The register of the return address in call frame information. A call puts the address on the
// stack.
inline constexpr Register kReturnAddress = kRip;
inline constexpr bool kCallsPush = true;

// Callee-saved registers: a function restores them before it returns.
inline constexpr std::uint64_t kCalleeSaved =
    1U << kRbx | 1U << kRbp | 1U << kR12 | 1U << kR13 | 1U << kR14 | 1U << kR15;

// The C library's code that signal handlers return to has call frame information.
inline constexpr bool kHasSignalFrameInfo = true;
inline constexpr std::uint64_t kRegistersInSignalFrame = 0;

// Returns the address in a saved return address.
constexpr std::uint64_t plain_address(std::uint64_t saved) { return saved; }

}  // namespace prof::unwind
