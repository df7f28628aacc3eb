// The rules about kernels. Some need only a launch's shape, the others need metrics.
#pragma once

#include <cstdint>

namespace prof::insight {

enum class KernelRule : std::uint8_t {
  kSmallGrid,     // fewer blocks than multiprocessors
  kTail,          // the last wave of blocks takes a large part of the time
  kPartialWarps,  // the last warp of each block has threads that never run
  kLowOccupancy,  // registers, shared memory or the size of a block keep warps away
  // The rules below need metrics.
  kUnusedOccupancy,    // fewer warps are active than the launch allows
  kIssueSlots,         // schedulers often have no instruction to issue
  kStall,              // warps wait mostly for one thing
  kSectorUse,          // threads use few bytes of the sectors that they load or store
  kUncoalesced,        // accesses of a warp need more sectors than their bytes would fill
  kBankConflicts,      // threads of a warp access the same bank of shared memory
  kSharedWavefronts,   // the same, counted by instruction
  kDivergence,         // few threads of a warp are active
  kImbalance,          // some units work longer than others
  kIdlePipes,          // no pipe is busy
  kBusyPipe,           // a pipe is at its limit
  kDoublePrecision,    // FP64 where FP32 is faster
  kUnfused,            // additions and multiplications that could be one instruction
  kCompression,        // L2 compression without success
  kCompressionWrites,  // writes that do not suit L2 compression
  // Nsight Compute does not have the rules below.
  kIdleTensorCores,  // a kernel for tensor cores that hardly uses them
  kSpills,           // local memory takes a part of the L1 cache's work
  kRegisterWaste     // a few registers fewer would make room for one block more
};

}  // namespace prof::insight
