// The arena: shared memory between the collector (creator) and every traced process.
//
//   [ArenaHeader, padded to kArenaHeaderBytes][chunk 0][chunk 1] ... [chunk max-1]
//
// A thread owns a chunk by a compare-and-swap of its owner word from 0; from then on it is the only
// writer. It appends records and publishes each with a release store of `committed`. The collector
// reads `committed` with acquire and copies what is below it; it never writes into an owned chunk.
// When a chunk is full, or its thread or process has ended, the collector drains it, clears its
// header and frees the owner word with a release store, which pairs with the acquire of the next
// claim. The reader treats everything in here as hostile: it copies first and checks the copy.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::wire {

inline constexpr std::uint64_t kArenaMagic = 0x616e6572'61667270;  // "prfarena"
inline constexpr std::uint32_t kChunkMagic = 0x6b6e6863;           // "chnk"

// 64 KiB: one read fault maps a whole chunk (the kernel's fault-around window), and a program with
// 500 threads needs 32 MiB. See docs/decisions/0002-chunk-size.md.
inline constexpr std::uint32_t kChunkBytes = 64 * 1024;
inline constexpr std::uint32_t kMaxChunks = 4096;  // 256 MiB
inline constexpr std::uint32_t kProcessSlots = 1024;

enum class DropCause : std::uint32_t {
  kNoChunk = 0,       // the arena was full
  kReentered = 1,     // a signal handler interrupted our own writing
  kThreadGone = 2,    // the thread's destructors had already run
  kTooLarge = 3,      // record larger than a chunk
  kConnecting = 4,    // another thread was still introducing a forked child
  kCuptiBuffers = 5,  // CUPTI had no buffer left for GPU work
  kCount
};

// Loss counters of one process, on a cache line of their own. Index: Reply::slot.
struct alignas(64) ProcessSlot {
  std::atomic<std::uint64_t> dropped[static_cast<std::size_t>(DropCause::kCount)];
};

struct alignas(64) ChunkHeader {
  std::uint32_t magic;
  std::uint32_t reserved;
  std::uint64_t claimed;                 // clock reading; orders the chunks of a thread
  std::atomic<std::uint32_t> committed;  // bytes of records after this header that may be read
  std::atomic<std::uint32_t> retired;    // 1: the owner writes no more
};

inline constexpr std::uint32_t kChunkCapacity = kChunkBytes - sizeof(ChunkHeader);

// Values of ArenaHeader::capture, which counts with kFeatureCaptureRange only.
inline constexpr std::uint32_t kWaiting = 0;    // outside of a capture range
inline constexpr std::uint32_t kCapturing = 1;  // inside

struct alignas(64) ArenaHeader {
  std::uint64_t magic;
  std::uint32_t version;                                 // kWireVersion
  std::uint32_t max_chunks;                              // address space; at most kMaxChunks
  alignas(64) std::atomic<std::uint32_t> backed_chunks;  // chunks that may be claimed; only grows
  std::atomic<std::uint32_t> failed_handshakes;  // processes that could not introduce themselves
  std::atomic<std::uint32_t> closed;             // 1: the session is over, stop recording
  std::atomic<std::uint32_t> capture;            // kWaiting or kCapturing
  std::atomic<std::uint32_t> captures_left;      // ranges that may still begin
  alignas(64) std::atomic<std::uint64_t> owners[kMaxChunks];  // 0 = free, else owner_word()
  ProcessSlot slots[kProcessSlots];
};

inline constexpr std::size_t kArenaHeaderBytes = 2 * kChunkBytes;

constexpr std::uint64_t owner_word(std::uint32_t serial, std::uint32_t tid) {
  return (static_cast<std::uint64_t>(serial) << 32) | tid;
}
constexpr std::uint32_t owner_serial(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}
constexpr std::size_t arena_bytes(std::uint32_t chunks) {
  return kArenaHeaderBytes + static_cast<std::size_t>(chunks) * kChunkBytes;
}
inline ChunkHeader* chunk_at(ArenaHeader* arena, std::uint32_t index) {
  return reinterpret_cast<ChunkHeader*>(reinterpret_cast<std::byte*>(arena) + arena_bytes(index));
}

static_assert(sizeof(ChunkHeader) == 64);
static_assert(sizeof(ProcessSlot) == 64);
static_assert(sizeof(ArenaHeader) <= kArenaHeaderBytes);
static_assert(kArenaHeaderBytes % kChunkBytes == 0);
static_assert(kMaxChunks * sizeof(std::uint64_t) == 32 * 1024);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace prof::wire
