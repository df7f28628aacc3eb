#pragma once

#include <x86intrin.h>

#include <cstddef>
#include <cstdint>

namespace prof::wire {

// Reads the time-stamp counter. kTickSource is the kernel's name of this clock.
[[gnu::always_inline]] inline std::uint64_t read_ticks() { return __rdtsc(); }
inline constexpr char kTickSource[] = "tsc";
inline constexpr char kTickName[] = "TSC";

// The offset of the kernel's thread id in the structure to which pthread_self() points in glibc:
// the same in every version until now.
inline constexpr std::uintptr_t kThreadIdPlace = 720;

// The registers of a StackRecord: rip, rsp, rbp, rbx, r12 to r15.
inline constexpr std::uint8_t kStackRegisterNumbers[] = {16, 7, 6, 3, 12, 13, 14, 15};

// The number of registers of a CpuSampleRecord: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15,
// rip.
inline constexpr std::size_t kSampledRegisters = 17;
inline constexpr std::size_t kSampledStackPointer = 7;

}  // namespace prof::wire
