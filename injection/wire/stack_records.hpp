// Stacks of events: what an unwinder needs of a thread that is in the middle of a call. The
// collector unwinds while it drains, and puts a reference to the chain of frames in its place: a
// StackRecord is never in the spool.
#pragma once

#include "injection/wire/records.hpp"

namespace prof::wire {

struct StackRegisters {
  std::uint64_t rip, rsp, rbp, rbx, r12, r13, r14, r15;
};

// Of what kind the call is: bits of StackRecord::header.flags.
inline constexpr std::uint8_t kStackOfCuda = 1;         // else one of the OS runtime
inline constexpr std::uint8_t kStackOfCudaRuntime = 2;  // of CUDA's runtime API, not the driver's

// The stack of the thread in the call whose record comes next, and which began at `start`. `aux`
// bytes of it follow, from rsp upwards, padded with anything.
struct StackRecord {
  RecordHeader header;
  std::uint64_t start;
  StackRegisters registers;
};
inline constexpr std::uint32_t kMostStackBytes = 60 * 1024;  // a record is shorter than 64 KiB

// The collector's reference: aux is the chain's innermost node. From a target, with aux 0: the
// stack was not copied, as the buffer was filling.
struct StackNodeRecord {
  RecordHeader header;  // flags: as in StackRecord
  std::uint64_t start;
};

static_assert(kIsRecord<StackRecord> && sizeof(StackRecord) == 80);
static_assert(kIsRecord<StackNodeRecord> && sizeof(StackNodeRecord) == 16);

}  // namespace prof::wire
