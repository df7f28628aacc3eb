// The arena: shared memory between the collector (creator) and every traced process.
//
//   [ArenaHeader, padded to kArenaHeaderBytes][small chunks][large chunks]
//
// A thread's first chunks are small, the next ones are large. Ten thousand threads that record
// little need 40 MiB, and a thread that records much seldom claims a chunk. If one size is used up,
// threads claim the other.
//
// The first chunks of each size are backed by memory. The collector backs more chunks while many
// are in use. A thread that finds no free chunk backs some itself (MADV_POPULATE_WRITE) and then
// raises `backed` by a compare-and-swap. The collector makes sure that they have memory before it
// reads them.
//
// A thread claims a chunk by a compare-and-swap of its owner word from 0. From then on it is the
// only writer. It appends records and publishes each with a release store of `committed`. The
// collector reads `committed` with acquire and copies the records below it. It never writes to an
// owned chunk. When a chunk is full, or its thread or process has ended, the collector drains it,
// clears its header, and frees the owner word with a release store, which pairs with the acquire of
// the next claim. The collector trusts nothing in the arena: it copies first and checks the copy.
//
// Calls that are too short for a record are counted at the end of the chunk: a ShortCallCounter for
// each function that had any, the first one last. Their owner changes them until the chunk is
// final.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/wire/records.hpp"

namespace prof::wire {

inline constexpr std::uint64_t kArenaMagic = 0x616e6572'61667270;  // "prfarena"
inline constexpr std::uint32_t kChunkMagic = 0x6b6e6863;           // "chnk"

enum class ChunkSize : std::uint32_t { kSmall = 0, kLarge = 1 };
inline constexpr std::size_t kChunkSizes = 2;

// Bytes of a chunk. A large chunk is as large as the memory that one read fault maps (the kernel's
// fault-around window), a small one is a page. See docs/decisions/0002-chunk-size.md.
inline constexpr std::uint32_t kChunkBytes[kChunkSizes] = {4 * 1024, 64 * 1024};
inline constexpr std::uint32_t kMaxChunks[kChunkSizes] = {16384, 16384};  // 64 MiB, 1 GiB
inline constexpr std::uint32_t kAllChunks = kMaxChunks[0] + kMaxChunks[1];
inline constexpr std::uint32_t kProcessSlots = 1024;
inline constexpr std::uint32_t kSharedSlot =
    kProcessSlots - 1;  // used by every process that finds no free slot

// Serials of process images. Numbers below kFirstSerial are states of the live word
// (injection/core/live.hpp). Processes themselves take the serials below the collector's. The
// number of serials is limited, because the collector and the report store data for each. A build
// of the Linux kernel starts some 50,000 programs.
inline constexpr std::uint32_t kFirstSerial = 16;
inline constexpr std::uint32_t kMaxImages = 1 << 17;
inline constexpr std::uint32_t kFirstCollectorSerial = std::uint32_t{1} << 31;

enum class DropCause : std::uint32_t {
  kNoChunk = 0,        // the arena was full
  kReentered = 1,      // a signal handler interrupted the writing of another record
  kThreadGone = 2,     // the thread's destructors had already run
  kTooLarge = 3,       // the record is larger than a chunk
  kConnecting = 4,     // another thread was still introducing the fork child
  kCuptiBuffers = 5,   // CUPTI had no buffer left for GPU work
  kHardwareTrace = 6,  // the hardware trace of the GPU had no room left
  kCount
};

// Code of a library that was unloaded at `time`. An entry is consistent for a reader if `time` is
// not 0 and has the same value before and after the other fields are read.
struct UnloadedCode {
  std::atomic<std::uint64_t> time;  // on the session's clock
  std::atomic<std::uint64_t> start, end;
  std::atomic<std::uint32_t> serial;  // slots may be shared
};
inline constexpr std::uint32_t kUnloadedCodes = 5;

// Whether a process switches CUPTI with the begins and ends of collections (kFeatureDormancy).
enum class CuptiState : std::uint32_t {
  kNone,       // no CUDA, or CUPTI could not be enabled
  kOff,        // CUPTI's thread waits for the next collection
  kSwitching,  // CUPTI is being enabled
  kOn,
  kFlushed,  // all records of the collection are in the arena; CUPTI is being disabled
};

// The maximum number of real functions that the library wraps.
inline constexpr std::uint32_t kRealFunctions = 1024;

// What a process reports outside of its records, on separate cache lines: how many events it
// dropped, where its Python interpreter is (0: none, or not requested), and the libraries it
// unloaded last. Reply::slot is the index.
struct alignas(64) ProcessSlot {
  std::atomic<std::uint64_t> dropped[static_cast<std::size_t>(DropCause::kCount)];
  std::atomic<std::uint64_t> python_code_type;  // address of PyCode_Type
  std::atomic<std::uint64_t> python_runtime;    // its address | version << kPythonVersionShift
  std::atomic<std::uint64_t> unloaded_count;    // in total; modulo kUnloadedCodes: the next entry
  UnloadedCode unloaded[kUnloadedCodes];
  std::atomic<CuptiState> cupti_state;  // with kFeatureDormancy
  // How many of the ranges in CaptureConfig the process has begun.
  std::atomic<std::uint64_t> steps;
};
// The process image that has a slot, and the arrival of a fork child, which joins without an answer
// of the collector. The fields are valid from the store (release) of `arrived` on.
struct SlotOwner {
  std::atomic<std::uint32_t> serial;         // 0: the slot is free
  std::atomic<std::uint32_t> parent_serial;  // of the process it was forked from
  std::atomic<std::int32_t> pid, ppid;       // as the process and the collector see them
  std::atomic<std::uint64_t> arrived;        // on the session's clock; 0: none, or already read
};
inline constexpr unsigned kPythonVersionShift = 48;
inline constexpr std::uint64_t kPythonVersionMask = ~std::uint64_t{0} << kPythonVersionShift;

struct alignas(64) ChunkHeader {
  std::uint32_t magic;
  std::uint32_t reserved;
  std::uint64_t claimed;                 // time of the claim; orders the chunks of a thread
  std::atomic<std::uint32_t> committed;  // bytes of records after this header that may be read
  std::atomic<std::uint32_t> retired;    // 1: the owner writes nothing more
  std::atomic<std::uint32_t> counters;   // ShortCallCounters at the end of the chunk
  std::uint32_t reserved2;
};

// Counts the calls of one function by the chunk's thread that were shorter than the threshold.
struct ShortCallCounter {
  std::uint64_t calls;
  std::uint64_t time;  // sum over all calls, in clock units
  // With capture ranges: the start of the first and the end of the last call. Both are in one
  // range.
  std::uint64_t first, last;
  std::uint32_t function;  // as in records
  std::uint32_t reserved;
};

// The chunks of one size.
struct alignas(64) ChunkPool {
  std::atomic<std::uint32_t> backed;     // chunks with memory, which may be claimed; only grows
  std::atomic<std::uint32_t> free_from;  // where a search starts; few chunks below it are free
};

// Values of ArenaHeader::capture, which is used with kFeatureCaptureRange only.
inline constexpr std::uint32_t kWaiting = 0;    // outside of a capture range
inline constexpr std::uint32_t kCapturing = 1;  // inside a capture range

// Bits of ArenaHeader::triggers: the triggers that may begin a capture range now.
inline constexpr std::uint32_t kCudaTrigger = 1;  // cudaProfilerStart; cudaProfilerStop ends it
inline constexpr std::uint32_t kNvtxTrigger = 2;  // the NVTX range in CaptureConfig
inline constexpr std::uint32_t kOpenEnded = 4;    // the end of a range is ignored
// Limits kNvtxTrigger to the ranges from ArenaHeader::first_step to last_step.
inline constexpr std::uint32_t kStepTrigger = 8;
inline constexpr std::uint32_t kFrameTrigger = 16;  // CaptureConfig::first_frame

// The number of slots whose SlotOwner lies in the page of the arena's header that fork children
// use. That page begins at the following offset.
inline constexpr std::uint32_t kNearSlots = 72;
inline constexpr std::size_t kHotPage = 6 * 4096;

// The values of the words `dormant` and `counting`: the wrapper that reads one goes on, only calls
// the real function, or goes on and leaves calls out (--max-overhead).
enum GateWord : std::uint32_t { kGoesOn = 0, kLeaves = 1, kCounts = 2 };

struct alignas(64) ArenaHeader {
  std::uint64_t magic;
  std::uint32_t version;  // kWireVersion
  std::uint32_t reserved;
  // A page of shared memory costs a fork child a page fault of about 3 us on a VM. So everything
  // that a short-lived child needs is in one page: the last slots, which are claimed first, the
  // following words, and the owners of the first chunks.
  std::byte
      unused[kHotPage + kNearSlots * sizeof(SlotOwner) - kProcessSlots * sizeof(SlotOwner) - 16];
  SlotOwner slot_owners[kProcessSlots];
  alignas(64) std::atomic<std::uint32_t> closed;  // 1: the session is over, stop recording
  std::atomic<std::uint32_t> capture;             // kWaiting or kCapturing
  std::atomic<std::uint32_t> captures_left;       // ranges that may still begin
  std::atomic<std::uint32_t> failed_handshakes;   // processes that could not introduce themselves
  std::atomic<std::uint32_t> next_serial;         // for processes that take a serial themselves
  // 1: fork children write their arrivals to the pipe `arrivals`, which wakes the collector. 0:
  // they write them to their slot.
  std::atomic<std::uint32_t> arrivals_watched;
  // 1: a thread has reported that the buffer is filling. The collector clears the word when it
  // drains.
  alignas(64) std::atomic<std::uint32_t> drain_requested;
  std::atomic<std::uint32_t> room_wanted;  // 1: a process can no longer add chunks itself
  ChunkPool pools[kChunkSizes];            // by ChunkSize
  // OS-runtime and process functions whose names some process has sent: the session has one table
  // of names. The flags are here because fork children use this page anyway.
  alignas(64) std::atomic<bool> named[kCudaRuntimeFunctions];
  // The real functions that fork children of this session had to look up: how many look-ups, and
  // one bit for each function by its number in the library. A process that forks looks these
  // functions up before.
  alignas(64) std::atomic<std::uint32_t> child_lookups;
  std::atomic<std::uint64_t> looked_up[kRealFunctions / 64];
  alignas(64) std::atomic<std::uint64_t> owners[kAllChunks];  // 0 = free, else owner_word()
  ProcessSlot slots[kProcessSlots];
  // Words that the collector changes while programs run. They are on a separate cache line, because
  // with kFeatureDormancy every wrapper reads one of the first two (GateWord).
  alignas(64) std::atomic<std::uint32_t> dormant;  // 1: only definitions are recorded
  std::atomic<std::uint32_t> counting;  // like `dormant`, for calls with kFeatureThinning
  // The number of begins and ends of collections: odd during a collection. A futex for threads that
  // switch CUPTI.
  std::atomic<std::uint32_t> collection_edges;
  std::atomic<std::uint32_t> triggers;  // mask of k...Trigger
  // The ranges of prof start --at-step: a capture range lasts from the begin of the first one to
  // the end of the last one. Valid when `triggers` (release) has kStepTrigger.
  std::atomic<std::uint64_t> first_step, last_step;
};

// Sets both words that wrappers read.
inline void set_dormant(ArenaHeader& arena, bool is_dormant) {
  arena.counting.store(is_dormant ? kLeaves : kCounts, std::memory_order_release);
  arena.dormant.store(is_dormant ? kLeaves : kGoesOn, std::memory_order_release);
}

inline constexpr std::size_t kArenaHeaderBytes = 576 * 1024;

constexpr std::uint64_t owner_word(std::uint32_t serial, std::uint32_t tid) {
  return (static_cast<std::uint64_t>(serial) << 32) | tid;
}
constexpr std::uint32_t owner_serial(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

// All chunks have consecutive numbers, the small ones first. These functions return the first
// number of a size, and the offset of that chunk in the arena in bytes.
constexpr std::uint32_t first_chunk(ChunkSize size) {
  return size == ChunkSize::kSmall ? 0 : kMaxChunks[0];
}
constexpr std::size_t pool_offset(ChunkSize size) {
  constexpr std::size_t kSmallBytes = std::size_t{kMaxChunks[0]} * kChunkBytes[0];
  return kArenaHeaderBytes + (size == ChunkSize::kSmall ? 0 : kSmallBytes);
}
constexpr std::uint32_t chunk_bytes(ChunkSize size) {
  return kChunkBytes[static_cast<std::size_t>(size)];
}
constexpr ChunkSize size_of_chunk(std::uint32_t index) {
  return index < kMaxChunks[0] ? ChunkSize::kSmall : ChunkSize::kLarge;
}
// Returns the number of bytes of records that a chunk holds.
constexpr std::uint32_t chunk_capacity(ChunkSize size) {
  return chunk_bytes(size) - static_cast<std::uint32_t>(sizeof(ChunkHeader));
}
// Returns the size of an arena with these numbers of chunks. An arena with large chunks has address
// space for all small ones.
constexpr std::size_t arena_bytes(std::uint32_t small, std::uint32_t large) {
  const ChunkSize last = large > 0 ? ChunkSize::kLarge : ChunkSize::kSmall;
  return pool_offset(last) + std::size_t{large > 0 ? large : small} * chunk_bytes(last);
}
inline ChunkHeader* chunk_at(ArenaHeader* arena, std::uint32_t index) {
  const ChunkSize size = size_of_chunk(index);
  return reinterpret_cast<ChunkHeader*>(reinterpret_cast<std::byte*>(arena) + pool_offset(size) +
                                        std::size_t{index - first_chunk(size)} * chunk_bytes(size));
}
// Returns the end of the chunk, where the counters lie. The first counter is just before it.
inline ShortCallCounter* counters_end(ChunkHeader* chunk, std::uint32_t index) {
  return reinterpret_cast<ShortCallCounter*>(reinterpret_cast<std::byte*>(chunk) +
                                             chunk_bytes(size_of_chunk(index)));
}
inline ChunkPool& pool_of(ArenaHeader* arena, ChunkSize size) {
  return arena->pools[static_cast<std::size_t>(size)];
}

inline bool claim_slot(ArenaHeader* arena, std::uint32_t slot, std::uint32_t serial) {
  std::uint32_t free = 0;
  return arena->slot_owners[slot].serial.compare_exchange_strong(free, serial,
                                                                 std::memory_order_acq_rel);
}
// Takes a slot for a process image. The collector frees it after it has read the counters.
inline std::uint32_t claim_slot(ArenaHeader* arena, std::uint32_t serial) {
  constexpr std::uint32_t kNearTries = 16, kTries = 64;
  for (std::uint32_t i = 0; i < kNearTries; ++i) {
    const std::uint32_t slot = kSharedSlot - 1 - (serial + i) % kNearSlots;
    if (claim_slot(arena, slot, serial)) return slot;
  }
  for (std::uint32_t i = 0; i < kTries; ++i) {
    const std::uint32_t slot = (serial + i) % kSharedSlot;
    if (claim_slot(arena, slot, serial)) return slot;
  }
  return kSharedSlot;
}
inline void release_slot(ArenaHeader* arena, std::uint32_t slot, std::uint32_t serial) {
  SlotOwner& owner = arena->slot_owners[slot % kProcessSlots];
  if (owner.serial.load(std::memory_order_relaxed) != serial) return;
  owner.arrived.store(0, std::memory_order_relaxed);
  owner.serial.store(0, std::memory_order_release);
}

static_assert(sizeof(ChunkHeader) == 64 && sizeof(ShortCallCounter) == 40);
static_assert(sizeof(UnloadedCode) == 32 && sizeof(ProcessSlot) == 256 && sizeof(SlotOwner) == 24);
static_assert(sizeof(ArenaHeader) <= kArenaHeaderBytes);
// The near slots and the owners of at least 100 chunks are in the hot page.
static_assert(offsetof(ArenaHeader, slot_owners) +
                  (kProcessSlots - kNearSlots) * sizeof(SlotOwner) ==
              kHotPage);
static_assert(offsetof(ArenaHeader, owners) + 100 * sizeof(std::uint64_t) <= kHotPage + 4096);
static_assert(kArenaHeaderBytes % kChunkBytes[1] == 0);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace prof::wire
