#pragma once

#include <x86intrin.h>

#include <cstddef>
#include <cstdint>

namespace prof::wire {

// The time-stamp counter, and its name where the kernel says which clock it uses.
[[gnu::always_inline]] inline std::uint64_t read_ticks() { return __rdtsc(); }
inline constexpr char kTickSource[] = "tsc";
inline constexpr char kTickName[] = "TSC";

// Where glibc keeps the kernel's id of a thread, after the address that pthread_self() returns: the
// same in every version so far.
inline constexpr std::uintptr_t kThreadIdPlace = 720;

// Of a StackRecord: rip, rsp, rbp, rbx, r12 to r15.
inline constexpr std::uint8_t kStackRegisterNumbers[] = {16, 7, 6, 3, 12, 13, 14, 15};

// Of a CpuSampleRecord: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip.
inline constexpr std::size_t kSampledRegisters = 17;
inline constexpr std::size_t kSampledStackPointer = 7;

}  // namespace prof::wire
