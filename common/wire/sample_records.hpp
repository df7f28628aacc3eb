// CPU samples that a process takes of itself, because the kernel does not permit the collector to
// (kFeatureCpuSampling). The collector unwinds while it drains, so a CpuSampleRecord is never in
// the spool.
#pragma once

#include "common/wire/stack_records.hpp"

namespace prof::wire {

// A sample with a stack copy: `aux` bytes of the thread's stack follow, from the stack pointer
// upwards.
struct CpuSampleRecord {
  RecordHeader header;
  std::uint64_t time;
  std::uint32_t cpu;
  std::uint32_t periods;  // periods of the timer (CPU time) since the previous sample
  std::uint64_t registers[kSampledRegisters];  // by their numbers
};

// The collector writes this record to the spool in place of a CpuSampleRecord.
struct CpuSampleNodeRecord {
  RecordHeader header;  // aux: innermost node of the call chain
  std::uint64_t time;
  std::uint32_t cpu;
  std::uint32_t periods;
};

static_assert(kIsRecord<CpuSampleRecord> && sizeof(CpuSampleRecord) == 24 + 8 * kSampledRegisters);
static_assert(kIsRecord<CpuSampleNodeRecord> && sizeof(CpuSampleNodeRecord) == 24);

}  // namespace prof::wire
