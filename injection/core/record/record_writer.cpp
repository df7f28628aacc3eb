#include "injection/core/record/record_writer.hpp"

#include <algorithm>

#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/join/session.hpp"
#include "injection/core/record/arena_room.hpp"
#include "injection/core/record/countdowns.hpp"
#include "injection/core/record/shared_state.hpp"
#include "injection/core/record/thread_exit.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/core/thread_id.hpp"

namespace prof::core {

namespace {

// A thread that has found the arena full drops events for this time before it tries again.
constexpr std::uint64_t kClaimBackoff = 200'000;  // clock units: 70-200 us

wire::ArenaHeader& arena() { return *g_process.arena; }

// True if the chunk is mapped. Pairs with shrink_arena(), which lowers the bound and then reads the
// owners.
bool is_mapped(std::uint32_t index) {
  const wire::ChunkSize size = wire::size_of_chunk(index);
  return index - wire::first_chunk(size) < mapped_chunks(size).load(std::memory_order_seq_cst);
}

// Takes the first free chunk with a number in [begin, end).
bool take_chunk(const ThreadState& t, std::uint32_t begin, std::uint32_t end,
                std::uint32_t& index) {
  const std::uint64_t mine = wire::owner_word(t.serial, t.tid);
  for (std::uint32_t i = begin; i < end; ++i) {
    std::uint64_t free = 0;
    if (arena().owners[i].load(std::memory_order_relaxed) != 0 ||
        !arena().owners[i].compare_exchange_strong(free, mine, std::memory_order_seq_cst,
                                                   std::memory_order_relaxed))
      continue;
    index = i;
    if (is_mapped(i)) return true;
    arena().owners[i].store(0, std::memory_order_release);
    return false;
  }
  return false;
}

// Takes the lowest free chunk: low chunks are already mapped and cached. The search starts at a
// hint, because with thousands of threads a search from the first chunk would take too long.
bool find_free_chunk(const ThreadState& t, wire::ChunkSize size, std::uint32_t& index) {
  std::atomic<std::uint32_t>& free_from = wire::pool_of(&arena(), size).free_from;
  const std::uint32_t first = wire::first_chunk(size);
  const std::uint32_t count = usable_chunks(size);
  std::uint32_t from = free_from.load(std::memory_order_relaxed);
  const std::uint32_t middle = first + (from < count ? from : 0);
  if (!take_chunk(t, middle, first + count, index) && !take_chunk(t, first, middle, index))
    return false;
  // Keeps the hint if the collector has freed a lower chunk in the meantime.
  free_from.compare_exchange_strong(from, index - first + 1, std::memory_order_relaxed);
  return true;
}

// Takes a free chunk. If no chunk is free, backs more chunks.
bool find_or_add_chunk(const ThreadState& t, wire::ChunkSize size, std::uint32_t& index) {
  while (!find_free_chunk(t, size, index))
    if (!add_chunks(size)) return false;
  return true;
}

// Bytes of the records that claim_chunk() writes first.
constexpr std::uint32_t kPreamble = sizeof(wire::ThreadRecord) + sizeof(wire::OverheadRecord);

constexpr bool fits(std::uint32_t size, wire::ChunkSize chunk) {
  return size <= wire::chunk_capacity(chunk) - kPreamble;
}

// A thread that has filled this many small chunks will fill more, so it gets large ones.
constexpr std::uint8_t kSmallFirst = 4;

bool find_chunk(const ThreadState& t, std::uint32_t size, std::uint32_t& index) {
  if (!fits(size, wire::ChunkSize::kSmall))
    return find_or_add_chunk(t, wire::ChunkSize::kLarge, index);
  const bool small_first = t.claims < kSmallFirst;
  const auto first = small_first ? wire::ChunkSize::kSmall : wire::ChunkSize::kLarge;
  const auto second = small_first ? wire::ChunkSize::kLarge : wire::ChunkSize::kSmall;
  return find_or_add_chunk(t, first, index) || find_or_add_chunk(t, second, index);
}

// Only the first thread sends the request; the word stays set until the collector drains.
void request_drain(std::uint32_t chunk) {
  std::atomic<std::uint32_t>& requested = arena().drain_requested;
  if (requested.load(std::memory_order_relaxed) == 0 &&
      requested.exchange(1, std::memory_order_relaxed) == 0)
    announce(wire::AnnouncementKind::kBufferFilling, chunk);
}

// True if a quarter of the chunks is in use. If not, the collector's next poll is soon enough, and
// the thread does not pay for a system call. The lowest chunk is taken first, so its number is
// about the number of chunks in use.
bool is_filling(std::uint32_t index) {
  const wire::ChunkSize size = wire::size_of_chunk(index);
  return index - wire::first_chunk(size) >= expected_chunks(size) / 4;
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

// Not inline: claim_chunk() may run at the end of a small stack, and needs its stack for other
// calls first.
[[gnu::noinline]] void put_preamble(ThreadState& t, wire::OverheadKind kind, std::uint64_t start) {
  if (t.claims == 0) put(t, describe_thread(t, start));
  put(t, wire::OverheadRecord{header_of<wire::OverheadRecord>(wire::RecordType::kOverhead,
                                                              static_cast<std::uint32_t>(kind)),
                              start, now()});
}

// Claims a chunk for a record of `size` bytes. `start` and `kind` say since when the thread has
// been delayed, and by what.
bool claim_chunk(ThreadState& t, std::uint32_t size, wire::OverheadKind kind, std::uint64_t start) {
  if (start < t.claim_not_before) return false;
  std::uint32_t index = 0;
  if (!find_chunk(t, size, index)) {
    t.claim_not_before = start + kClaimBackoff;
    request_drain(index);
    return false;
  }
  wire::ChunkHeader* chunk = wire::chunk_at(g_process.arena, index);
  auto* records = reinterpret_cast<std::byte*>(chunk + 1);
  // Reads before the first write: a read fault on shared memory maps 64 KiB (the kernel's
  // fault-around), a write fault only one page. That costs three times as much, so it is done for
  // a chunk of several pages only.
  if (wire::size_of_chunk(index) == wire::ChunkSize::kLarge) [[maybe_unused]]
    const std::byte touched = *static_cast<const volatile std::byte*>(records);
  chunk->magic = wire::kChunkMagic;
  chunk->claimed = now();
  t.chunk = chunk;
  t.chunk_index = index;
  t.cursor = records;
  t.limit = records + wire::chunk_capacity(wire::size_of_chunk(index));
  t.counters = wire::counters_end(chunk, index);
  put_preamble(t, kind, start);
  if (t.claims < 255) ++t.claims;
  if (is_filling(index)) request_drain(index);
  // The records are published now, in case the thread dies before its first end_record() in this
  // chunk.
  chunk->committed.store(static_cast<std::uint32_t>(t.cursor - records), std::memory_order_release);
  return true;
}

// Resets `t` for this thread of this process. The thread is new, or it is a fork child that
// inherited its parent's state, with a chunk that belongs to the parent.
void enter_process(ThreadState& t, std::uint32_t serial) {
  // Data about calls in progress stays: a new thread's first record can come from inside a CUDA
  // call, and a fork child continues where its parent was. The whole state is not copied, because
  // the thread's stack may be small.
  const Writing writing = t.writing;
  const Calls calls = t.calls;
  const std::uint8_t cuda_depth = t.cuda_depth;
  const bool in_cupti = t.in_cupti, calls_cuda = t.calls_cuda, hides_signal = t.hides_signal;
  // A state that comes from the parent is the state of the thread that forked, which becomes the
  // child's main thread. The key that detects its end is already set, unless the parent was in the
  // middle of that end.
  const bool forked = t.serial != 0 && t.key_rounds == 0;
  t = ThreadState{};
  t.self = &t;
  t.writing = writing;
  t.calls = calls;
  t.cuda_depth = cuda_depth;
  t.in_cupti = in_cupti;
  t.calls_cuda = calls_cuda;
  t.hides_signal = hides_signal;
  t.serial = serial;
  t.tid = forked ? static_cast<std::uint32_t>(g_live.self.pid) : thread_id();
  if (!forked) watch_thread_exit();
  g_doors.thread_begins(t);
}

}  // namespace

void count_drop(wire::DropCause cause, std::uint64_t events) {
  if (g_process.arena == nullptr) return;
  own_slot().dropped[static_cast<std::size_t>(cause)].fetch_add(events, std::memory_order_relaxed);
}

void retire_chunk(ThreadState& t) {
  if (t.chunk == nullptr) return;
  std::memset(t.counter_of, 0, sizeof t.counter_of);
  // Pairs with the collector's acquire load: records and counters do not change any more.
  t.chunk->retired.store(1, std::memory_order_release);
  t.chunk = nullptr;
  t.cursor = t.limit = nullptr;
}

bool prepare_chunk(ThreadState& t, std::uint32_t size) {
  if (g_process.arena == nullptr) return false;
  const std::uint64_t start = now();
  auto overhead = wire::OverheadKind::kChunkClaim;
  std::uint32_t serial = g_live.word.load(std::memory_order_acquire);
  if (serial == kWiped || serial == kConnecting) {
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
  if (t.gone || t.tid == 0 || (t.sharers != 0 && !resume_after_children(t))) {
    count_drop(wire::DropCause::kThreadGone);
    return false;
  }
  if (t.limit - t.cursor >= static_cast<std::ptrdiff_t>(size)) return true;
  if (!fits(size, wire::ChunkSize::kLarge)) {
    count_drop(wire::DropCause::kTooLarge);
    return false;
  }
  retire_chunk(t);
  if (!claim_chunk(t, size, overhead, start)) {
    count_drop(wire::DropCause::kNoChunk);
    return false;
  }
  return true;
}

bool has_room(std::uint32_t size) {
  const ThreadState& t = t_state;
  if (t.serial != live_word() || static_cast<std::size_t>(t.limit - t.cursor) >= size) return true;
  for (const auto chunk : {wire::ChunkSize::kLarge, wire::ChunkSize::kSmall}) {
    const std::uint32_t first = wire::first_chunk(chunk);
    const std::uint32_t end = fits(size, chunk) ? first + usable_chunks(chunk) : first;
    for (std::uint32_t i = first; i < end; ++i)
      if (arena().owners[i].load(std::memory_order_relaxed) == 0) return true;
    if (fits(size, chunk) && add_chunks(chunk)) return true;
  }
  return arena().closed.load(std::memory_order_relaxed) != 0;
}

bool leaves_room(std::uint32_t size) {
  const ThreadState& t = t_state;
  if (g_process.arena == nullptr) return false;
  if (static_cast<std::size_t>(t.limit - t.cursor) >= size) return true;
  const bool small = t.claims < kSmallFirst && fits(size, wire::ChunkSize::kSmall);
  const auto chunk = small ? wire::ChunkSize::kSmall : wire::ChunkSize::kLarge;
  return wire::pool_of(&arena(), chunk).free_from.load(std::memory_order_relaxed) <
         expected_chunks(chunk) / 2;
}

bool is_busy() {
  if (!has_libc_pointer()) return true;
  ThreadState& t = t_state;
  set_up(t);
  if (t.writing != kWriting) return false;
  count_drop(wire::DropCause::kReentered);
  return true;
}

void adopt_thread() {
  if (!has_libc_pointer()) return;
  ThreadState& t = t_state;
  set_up(t);
  if (t.writing == kWriting) return;
  t.writing = kWriting;
  prepare_chunk(t, sizeof(wire::OverheadRecord));
  t.writing = kIdle;
}

void retire_thread() {
  if (t_state.countdowns != nullptr) end_thinning_here();
  t_state.gone = true;
  release_chunk();
}

void release_chunk() {
  ThreadState& t = t_state;
  // A fork child that has recorded nothing still has its parent's chunk, and must not change it.
  if (t.serial != live_word()) return;
  if (t.countdowns != nullptr) [[unlikely]]
    end_thinning_here();
  g_doors.thread_ends(t);
  retire_chunk(t);
}

void introduce_fork_child() {
  if (g_process.arena == nullptr || live_word() != kWiped) return;
  if (has_libc_pointer())
    adopt_thread();
  else
    join_after_fork();
}

}  // namespace prof::core
