// Stack copies of calls, from which an unwinder finds the call chain. The collector unwinds while
// it drains and writes a reference to the call chain to the spool. A StackRecord is never in the
// spool.
#pragma once

#include "common/wire/machine/machine.hpp"
#include "common/wire/records.hpp"

namespace prof::wire {

// The registers, in the order of kStackRegisterNumbers.
struct StackRegisters {
  std::uint64_t values[sizeof kStackRegisterNumbers];

  std::uint64_t instruction() const { return values[0]; }
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): assembler fills them
  std::uint64_t stack() const { return values[1]; }
};

// The kind of the call: bits of StackRecord::header.flags.
inline constexpr std::uint8_t kStackOfCuda = 1;         // a CUDA call, not an OS-runtime call
inline constexpr std::uint8_t kStackOfCudaRuntime = 2;  // runtime API, not driver API

// The stack copy of this thread's next call record, whose call began at `start`. `aux` bytes of the
// stack follow, from the stack pointer upwards. The padding has no defined value.
struct StackRecord {
  RecordHeader header;
  std::uint64_t start;
  StackRegisters registers;
};
inline constexpr std::uint32_t kMaxStackBytes = 60 * 1024;  // a record is shorter than 64 KiB

// A reference to a call chain. In a record of the collector, aux is the innermost node of the call
// chain. In a record of the program, aux is 0: the stack was not copied because the buffer was
// filling.
struct StackNodeRecord {
  RecordHeader header;  // flags: as in StackRecord
  std::uint64_t start;
};

static_assert(kIsRecord<StackRecord> && sizeof(StackRecord) == 16 + sizeof(StackRegisters));
static_assert(kIsRecord<StackNodeRecord> && sizeof(StackNodeRecord) == 16);

}  // namespace prof::wire
