// The kernel's records about the target's threads, in the spool: a short form of perf's records.
// docs/wire-format.md describes the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace prof::spool {

enum class KernelRecordType : std::uint8_t {
  kEnter = 1,      // a system call starts; value: its number
  kExit = 2,       // it returns; value: its number, all ones if the kernel no longer knows it
  kFork = 3,       // a thread is created; value: tid of the thread that created it
  kThreadEnd = 4,  // a thread ends
  kName = 5,       // a thread is renamed; followed by KernelThreadName
  kLost = 6,       // the buffer of this CPU was full; value: dropped records
  kSample = 7,     // a thread was running; value: its call chain, number of a StackNode; 0: unknown
  kSwitchIn = 8,   // a thread starts to run on this CPU
  kSwitchOut = 9,  // a thread stops running on this CPU
  // A tracepoint was reached; value: its number in TracepointsNote. The kernel's record follows,
  // padded to a multiple of 8 bytes.
  kTracepoint = 10,
};

// A 32-bit program made the call, so its number means another call.
inline constexpr std::uint8_t kCallOf32Bit = 1;
// An exec renamed the thread.
inline constexpr std::uint8_t kNameFromExec = 1;
// The thread existed before the recording and already had the name.
inline constexpr std::uint8_t kNameFromProc = 2;
// The thread could have continued, but the kernel let another thread run.
inline constexpr std::uint8_t kPreempted = 1;

struct KernelRecord {
  std::uint64_t time;  // CLOCK_MONOTONIC_RAW, ns
  std::uint32_t pid;   // in prof's pid namespace; 0 if the process is not in it
  std::uint32_t tid;
  std::uint32_t value;
  KernelRecordType type;
  std::uint8_t flags;
  std::uint16_t length;  // of the kernel's record that follows kTracepoint, bytes; else 0
};
static_assert(sizeof(KernelRecord) == 24 && std::is_trivially_copyable_v<KernelRecord>);

// True if the record's thread has a number in prof's pid namespace. For other threads the kernel
// writes 0 or ~0.
inline bool has_known_thread(const KernelRecord& record) {
  return record.pid != 0 && record.tid != 0 && record.tid != ~0U;
}

struct KernelThreadName {
  char text[16];  // padded with zeros
};
static_assert(sizeof(KernelThreadName) == 16);

// Returns the space that `length` bytes take in a piece.
inline constexpr std::size_t padded_length(std::size_t length) { return (length + 7) / 8 * 8; }

// The purpose of the records. kSwitches: context switches alone, when CPU samples are of other
// processes.
enum class KernelSource : std::uint32_t {
  kSystemCalls = 0,
  kCpu = 1,
  kSwitches = 2,
  kTracepoints = 3,  // events that the user chose
};

// In place of a CPU's number: prof itself made the record.
inline constexpr std::uint32_t kNoCpu = 0xffffffff;

// Header before the records of one CPU, which are ordered by time.
struct KernelPieceHeader {
  std::uint32_t cpu;
  KernelSource source = KernelSource::kSystemCalls;
};
static_assert(sizeof(KernelPieceHeader) == 8);

// Records that were drained together, inside the mapped spool.
struct KernelPiece {
  KernelPieceHeader header;
  std::span<const std::byte> bytes;
};

}  // namespace prof::spool
