// Samples of CPU time that a process takes of itself, where the kernel does not let the collector
// (kFeatureCpuSampling). The collector unwinds while it drains: a CpuSampleRecord is never in the
// spool.
#pragma once

#include "injection/wire/stack_records.hpp"

namespace prof::wire {

// By their numbers in DWARF: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip.
inline constexpr std::size_t kSampledRegisters = 17;
inline constexpr std::size_t kSampledStackPointer = 7;

// The thread was running. `aux` bytes of its stack follow, from the stack pointer upwards.
struct CpuSampleRecord {
  RecordHeader header;
  std::uint64_t time;
  std::uint32_t cpu;
  std::uint32_t periods;  // of the timer that have passed since the sample before, in CPU time
  std::uint64_t registers[kSampledRegisters];
};

// What the collector makes of it.
struct CpuSampleNodeRecord {
  RecordHeader header;  // aux: the chain's innermost node
  std::uint64_t time;
  std::uint32_t cpu;
  std::uint32_t periods;
};

static_assert(kIsRecord<CpuSampleRecord> && sizeof(CpuSampleRecord) == 160);
static_assert(kIsRecord<CpuSampleNodeRecord> && sizeof(CpuSampleNodeRecord) == 24);

}  // namespace prof::wire
