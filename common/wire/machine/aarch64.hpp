#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::wire {

// Reads the counter of the generic timer. It is the same on all CPUs and never stops. kTickSource
// is the kernel's name of this clock.
[[gnu::always_inline]] inline std::uint64_t read_ticks() {
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}
inline constexpr char kTickSource[] = "arch_sys_counter";
inline constexpr char kTickName[] = "generic timer";

// The offset of the kernel's thread id in the structure to which pthread_self() points in glibc:
// the same in every version until now.
inline constexpr std::uintptr_t kThreadIdPlace = 208;

// The registers of a StackRecord: pc, sp, x29, x30, x19 to x28.
inline constexpr std::uint8_t kStackRegisterNumbers[] = {32, 31, 29, 30, 19, 20, 21,
                                                         22, 23, 24, 25, 26, 27, 28};

// The number of registers of a CpuSampleRecord: x0 to x30, sp, pc.
inline constexpr std::size_t kSampledRegisters = 33;
inline constexpr std::size_t kSampledStackPointer = 31;

}  // namespace prof::wire
