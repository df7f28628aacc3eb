// The registers of a frame, with DWARF's numbers for x86-64.
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

// Callee-saved registers: a function restores them before it returns.
inline constexpr std::uint32_t kCalleeSaved =
    1U << kRbx | 1U << kRbp | 1U << kR12 | 1U << kR13 | 1U << kR14 | 1U << kR15;

struct Registers {
  std::uint64_t values[kRegisterCount] = {};
  std::uint32_t known = 0;  // one bit for each register

  bool has(unsigned index) const { return index < kRegisterCount && (known >> index & 1) != 0; }
  std::uint64_t operator[](Register index) const { return values[index]; }
  void set(unsigned index, std::uint64_t value) {
    values[index] = value;
    known |= 1U << index;
  }
};

}  // namespace prof::unwind
