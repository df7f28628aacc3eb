// What the kernel told about the target's threads, as it lies in the spool: the sampler's shortened
// form of perf's records. Layout in docs/wire-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace prof::spool {

enum class KernelRecordType : std::uint8_t {
  kEnter = 1,      // a system call begins; value: its number
  kExit = 2,       // it returns; value: its number, all ones if the kernel no longer knows it
  kFork = 3,       // a thread is made; value: tid of the thread that made it
  kThreadEnd = 4,  // it ends
  kName = 5,       // it is renamed; followed by KernelThreadName
  kLost = 6,       // the buffer of this CPU was full; value: records lost
  kSample = 7,     // it was running; value: its stack, number of a StackNode; 0: not known
  kSwitchIn = 8,   // it begins to run on this CPU
  kSwitchOut = 9,  // it ceases to
};

// The call is one of a 32-bit program, whose numbers mean other calls.
inline constexpr std::uint8_t kCallOf32Bit = 1;
// The thread is renamed by an exec.
inline constexpr std::uint8_t kNameFromExec = 1;
// The thread was there before and has had the name.
inline constexpr std::uint8_t kNameFromProc = 2;
// The thread could go on, but another one's turn has come.
inline constexpr std::uint8_t kPreempted = 1;

struct KernelRecord {
  std::uint64_t time;  // CLOCK_MONOTONIC_RAW, ns
  std::uint32_t pid;   // in the profiler's pid namespace; 0 if not in it
  std::uint32_t tid;
  std::uint32_t value;
  KernelRecordType type;
  std::uint8_t flags;
  std::uint16_t reserved;
};
static_assert(sizeof(KernelRecord) == 24 && std::is_trivially_copyable_v<KernelRecord>);

struct KernelThreadName {
  char text[16];  // padded with zeros
};
static_assert(sizeof(KernelThreadName) == 16);

// What a run of records was recorded for.
// kSwitches: those alone, where samples are of other processes.
enum class KernelSource : std::uint32_t { kSystemCalls = 0, kCpu = 1, kSwitches = 2 };

// What the profiler itself found out, instead of a CPU's number.
inline constexpr std::uint32_t kNoCpu = 0xffffffff;

// Records of one CPU, in the order of their times.
struct KernelPieceHeader {
  std::uint32_t cpu;
  KernelSource source = KernelSource::kSystemCalls;
};
static_assert(sizeof(KernelPieceHeader) == 8);

// One drained run of them, inside the mapped spool.
struct KernelPiece {
  KernelPieceHeader header;
  std::span<const std::byte> bytes;
};

}  // namespace prof::spool
