#pragma once

#include <cstdint>

namespace prof::sampler {

// The general registers and the instruction pointer, in the order of perf's numbers
// (asm/perf_regs.h: 0 to 8 and 16 to 23). A sample has the values of the registers in this order.
inline constexpr std::uint64_t kRegisterMask = 0x1ff | 0xff0000;
inline constexpr unwind::Register kRegisterOrder[] = {
    unwind::kRax, unwind::kRbx, unwind::kRcx, unwind::kRdx, unwind::kRsi, unwind::kRdi,
    unwind::kRbp, unwind::kRsp, unwind::kRip, unwind::kR8,  unwind::kR9,  unwind::kR10,
    unwind::kR11, unwind::kR12, unwind::kR13, unwind::kR14, unwind::kR15};

// The single register that is recorded if only the code's width is wanted: the code segment.
inline constexpr std::uint64_t kOneRegister = 1U << 10;

}  // namespace prof::sampler
