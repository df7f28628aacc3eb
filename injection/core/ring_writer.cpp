#include "injection/core/ring_writer.hpp"

#include "injection/core/clock.hpp"
#include "injection/core/session.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/core/thread_exit.hpp"

namespace prof::core {

__thread ThreadState t_state __attribute__((tls_model("initial-exec")));

namespace {

// After the arena was found full, events are dropped without looking again for this long.
constexpr std::uint64_t kClaimBackoff = 200'000;  // clock units: 70-200 us

wire::ArenaHeader& arena() { return *g_process.arena; }

void retire_chunk(ThreadState& t) {
  if (t.chunk == nullptr) return;
  // Pairs with the collector's acquire load: after it, `committed` is final.
  t.chunk->retired.store(1, std::memory_order_release);
  t.chunk = nullptr;
  t.cursor = t.limit = nullptr;
}

// Lowest free chunk first: recently freed ones are the ones already mapped and cached.
bool find_free_chunk(const ThreadState& t, std::uint32_t& index) {
  const std::uint64_t mine = wire::owner_word(t.serial, t.tid);
  const std::uint32_t backed = arena().backed_chunks.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < backed && i < g_process.max_chunks; ++i) {
    std::uint64_t free = 0;
    if (arena().owners[i].load(std::memory_order_relaxed) == 0 &&
        arena().owners[i].compare_exchange_strong(free, mine, std::memory_order_acquire,
                                                  std::memory_order_relaxed)) {
      index = i;
      return true;
    }
  }
  return false;
}

template <class Record>
void put(ThreadState& t, const Record& record) {
  std::memcpy(t.cursor, &record, sizeof record);
  t.cursor += sizeof record;
}

wire::ThreadRecord describe_thread(const ThreadState& t, std::uint64_t time) {
  wire::ThreadRecord record{};
  record.header = header_of<wire::ThreadRecord>(wire::RecordType::kThread, t.tid);
  record.time = time;
  record.priority = 20;
  if (!g_process.sandboxed.load(std::memory_order_relaxed)) {
    record.priority = sys::thread_priority();
    sys::thread_name(record.name);
  }
  return record;
}

// `start` and `kind`: since when, and with what, the thread has been held up.
bool claim_chunk(ThreadState& t, wire::OverheadKind kind, std::uint64_t start) {
  if (start < t.claim_not_before) return false;
  std::uint32_t index = 0;
  if (!find_free_chunk(t, index)) {
    t.claim_not_before = start + kClaimBackoff;
    return false;
  }
  wire::ChunkHeader* chunk = wire::chunk_at(g_process.arena, index);
  auto* records = reinterpret_cast<std::byte*>(chunk + 1);
  // A read before the first write: the kernel's fault-around then maps all 64 KiB of a chunk with
  // one fault; write faults on shared memory come page by page.
  [[maybe_unused]] const std::byte touched = *static_cast<const volatile std::byte*>(records);
  chunk->magic = wire::kChunkMagic;
  chunk->claimed = now();
  t.chunk = chunk;
  t.chunk_index = index;
  t.cursor = records;
  t.limit = records + wire::kChunkCapacity;
  if (!t.introduced) put(t, describe_thread(t, start));
  t.introduced = true;
  put(t, wire::OverheadRecord{header_of<wire::OverheadRecord>(wire::RecordType::kOverhead,
                                                              static_cast<std::uint32_t>(kind)),
                              start, now()});
  // Only under pressure: otherwise the collector's next poll is soon enough, and nobody pays for a
  // system call. Chunks are taken lowest first, so the index tells how many are in use.
  if (index >= arena().backed_chunks.load(std::memory_order_relaxed) / 4)
    announce(wire::AnnouncementKind::kBufferFilling, index);
  // Visible at once, in case the thread dies before its first end_record() in this chunk.
  chunk->committed.store(static_cast<std::uint32_t>(t.cursor - records), std::memory_order_release);
  return true;
}

// Makes `t` a fresh state of this thread in this process: a new thread, or the copy a fork child
// inherited, whose chunk belongs to the parent.
void enter_process(ThreadState& t, std::uint32_t serial) {
  const ThreadState before = t;
  t = ThreadState{};
  // What this thread is in the middle of: a new thread's first record can come from inside a CUDA
  // call, a fork child goes on where its parent was.
  t.inside = before.inside;
  t.muted = before.muted;
  t.cuda_depth = before.cuda_depth;
  t.in_cupti = before.in_cupti;
  t.calls_cuda = before.calls_cuda;
  t.serial = serial;
  t.tid = sys::gettid();
  watch_thread_exit();
}

}  // namespace

void count_drop(wire::DropCause cause, std::uint64_t events) {
  if (g_process.arena == nullptr) return;
  g_process.arena->slots[g_process.slot % wire::kProcessSlots]
      .dropped[static_cast<std::size_t>(cause)]
      .fetch_add(events, std::memory_order_relaxed);
}

bool prepare_chunk(ThreadState& t, std::uint32_t size) {
  if (g_process.arena == nullptr) return false;
  const std::uint64_t start = now();
  auto overhead = wire::OverheadKind::kChunkClaim;
  std::uint32_t serial = g_live.word.load(std::memory_order_acquire);
  if (serial == kWiped) {
    serial = join_after_fork();
    overhead = wire::OverheadKind::kProcessFork;
  }
  if (serial == kConnecting) {
    count_drop(wire::DropCause::kConnecting);
    return false;
  }
  if (serial < wire::kFirstSerial) return false;
  if (arena().closed.load(std::memory_order_relaxed) != 0) {
    g_live.word.store(kOff, std::memory_order_relaxed);
    return false;
  }
  if (t.serial != serial) enter_process(t, serial);
  if (t.gone) {
    count_drop(wire::DropCause::kThreadGone);
    return false;
  }
  if (static_cast<std::size_t>(t.limit - t.cursor) >= size) return true;
  constexpr std::uint32_t kPreamble = sizeof(wire::ThreadRecord) + sizeof(wire::OverheadRecord);
  if (size > wire::kChunkCapacity - kPreamble) {
    count_drop(wire::DropCause::kTooLarge);
    return false;
  }
  retire_chunk(t);
  if (!claim_chunk(t, overhead, start)) {
    count_drop(wire::DropCause::kNoChunk);
    return false;
  }
  return true;
}

bool has_room(std::uint32_t size) {
  const ThreadState& t = t_state;
  if (t.serial != live_word() || static_cast<std::size_t>(t.limit - t.cursor) >= size) return true;
  const std::uint32_t backed = arena().backed_chunks.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < backed && i < g_process.max_chunks; ++i)
    if (arena().owners[i].load(std::memory_order_relaxed) == 0) return true;
  return arena().closed.load(std::memory_order_relaxed) != 0;
}

void adopt_thread() {
  ThreadState& t = t_state;
  if (t.inside) return;
  t.inside = true;
  prepare_chunk(t, sizeof(wire::OverheadRecord));
  t.inside = false;
}

void retire_thread() {
  ThreadState& t = t_state;
  t.gone = true;
  // A fork child that never recorded still carries its parent's chunk: hands off.
  if (t.serial == live_word()) retire_chunk(t);
}

}  // namespace prof::core
