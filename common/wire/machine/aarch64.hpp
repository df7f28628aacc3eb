#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::wire {

// The generic timer's counter, and its name where the kernel says which clock it uses. It is the
// same on all CPUs and never stops.
[[gnu::always_inline]] inline std::uint64_t read_ticks() {
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}
inline constexpr char kTickSource[] = "arch_sys_counter";
inline constexpr char kTickName[] = "generic timer";

// Where glibc keeps the kernel's id of a thread, after the address that pthread_self() returns: the
// same in every version so far.
inline constexpr std::uintptr_t kThreadIdPlace = 208;

// Of a StackRecord: pc, sp, x29, x30, x19 to x28.
inline constexpr std::uint8_t kStackRegisterNumbers[] = {32, 31, 29, 30, 19, 20, 21,
                                                         22, 23, 24, 25, 26, 27, 28};

// Of a CpuSampleRecord: x0 to x30, sp, pc.
inline constexpr std::size_t kSampledRegisters = 33;
inline constexpr std::size_t kSampledStackPointer = 31;

}  // namespace prof::wire
