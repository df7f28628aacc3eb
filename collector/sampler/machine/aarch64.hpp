#pragma once

#include <array>
#include <cstdint>

namespace prof::sampler {

// x0 to x30, sp and pc: perf and DWARF give them the same numbers (asm/perf_regs.h).
inline constexpr std::uint64_t kRegisterMask = (std::uint64_t{1} << unwind::kRegisterCount) - 1;
inline constexpr auto kRegisterOrder = [] {
  std::array<unwind::Register, unwind::kRegisterCount> order{};
  for (unsigned i = 0; i < order.size(); ++i) order[i] = static_cast<unwind::Register>(i);
  return order;
}();

// The single register that is recorded if only the code's width is wanted.
inline constexpr std::uint64_t kOneRegister = std::uint64_t{1} << unwind::kStackPointer;

}  // namespace prof::sampler
