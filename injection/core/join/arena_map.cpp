#include "injection/core/join/arena_map.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>

#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

namespace {

using wire::ChunkSize;

// With fewer chunks, a process with a few threads would drop most of its events.
constexpr std::uint32_t kFewestSmall = 16;

// The places of this process's arenas if prof attach loaded this library. Between two sessions they
// are ordinary memory. Nothing is unmapped, because a thread may still read there. A place is
// stored before the arena is mapped, so a child that is forked at any moment knows where the arena
// of its parent lies.
struct ArenaSpan {
  void* address;
  std::size_t bytes;
};
ArenaSpan g_place;

void* map_ordinary(void* address, std::size_t bytes, int flags) {
  return reinterpret_cast<void*>(
      sys::call(SYS_mmap, sys::pointer(address), static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0));
}

bool replace(void* address, std::size_t bytes) {
  return bytes == 0 || !sys::failed(map_ordinary(address, bytes, MAP_FIXED));
}

void* map_shared(std::size_t bytes, int descriptor) {
  if (!g_process.loaded_late)
    return sys::mmap(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor);
  if (g_place.bytes < bytes) {
    void* const memory = map_ordinary(nullptr, bytes, 0);
    if (sys::failed(memory)) return memory;
    g_place = {memory, bytes};
  }
  return reinterpret_cast<void*>(sys::call(SYS_mmap, sys::pointer(g_place.address),
                                           static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                           MAP_SHARED | MAP_FIXED, descriptor, 0));
}

// Writes the header that every thread reads from now on that accesses the arena.
void write_left_header(wire::ArenaHeader* arena) {
  arena->closed.store(1, std::memory_order_relaxed);
  wire::set_dormant(*arena, true);
}

struct Counts {
  std::uint32_t small;
  std::uint32_t large;
};

std::uint64_t bytes_of(std::uint64_t chunks, ChunkSize size) {
  return chunks * wire::chunk_bytes(size);
}

std::uint32_t fitting(std::uint64_t bytes, ChunkSize size, std::uint32_t most) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes / wire::chunk_bytes(size), most));
}

// Returns how many chunks, at most `most`, fit into our share of a limit: one eighth.
Counts affordable(std::uint64_t limit, Counts most) {
  const std::uint64_t ours = limit / 8;
  if (ours < wire::kArenaHeaderBytes) return {0, 0};
  const std::uint64_t room = ours - wire::kArenaHeaderBytes;
  const std::uint32_t small = fitting(room, ChunkSize::kSmall, most.small);
  return {small, fitting(room - bytes_of(small, ChunkSize::kSmall), ChunkSize::kLarge, most.large)};
}

// Returns the number of the last chunk that this process owns, plus one, among the first `chunks`
// chunks of a size.
std::uint32_t one_past_last_owned(ChunkSize size, std::uint32_t chunks) {
  // The array of owners may have no memory beyond these chunks, either.
  chunks =
      std::min(chunks, wire::pool_of(g_process.arena, size).backed.load(std::memory_order_seq_cst));
  const auto* owners = g_process.arena->owners + wire::first_chunk(size);
  while (chunks > 0 && wire::owner_serial(owners[chunks - 1].load(std::memory_order_seq_cst)) !=
                           identity().serial)
    --chunks;
  return chunks;
}

void shrink(ChunkSize size, std::uint32_t keep) {
  std::uint32_t before = mapped_chunks(size).load(std::memory_order_relaxed);
  if (keep >= before) return;
  // A thread that claims a chunk checks the bound afterwards (record/record_writer.cpp). Either it
  // sees this store and gives the chunk back, or its claim is visible here and the chunk stays.
  if (!mapped_chunks(size).compare_exchange_strong(before, keep, std::memory_order_seq_cst))
    return;  // another thread is doing this
  keep = std::max(keep, one_past_last_owned(size, before));
  mapped_chunks(size).store(keep, std::memory_order_seq_cst);
  // A small chunk may be smaller than a page.
  const std::uintptr_t page = machine::page_bytes();
  const auto first = reinterpret_cast<std::uintptr_t>(
      wire::chunk_at(g_process.arena, wire::first_chunk(size) + keep));
  const std::uintptr_t begin = (first + page - 1) & ~(page - 1);
  const std::uintptr_t end = first + bytes_of(before - keep, size);
  if (begin >= end) return;
  sys::munmap(reinterpret_cast<void*>(begin), end - begin);
  const auto place = reinterpret_cast<std::uintptr_t>(g_place.address);
  g_place.bytes = std::min(g_place.bytes, begin - place);
}

Counts counts_to_map(const wire::Reply& reply) {
  const Counts most{reply.small_chunks, reply.large_chunks};
  const std::uint64_t limit = sys::limit(RLIMIT_AS);
  if (limit == RLIM_INFINITY) return most;
  Counts counts = affordable(limit, most);
  // The mapping is one piece: large chunks come after all small ones, so there are none without all
  // small ones.
  if (counts.small < wire::kMaxChunks[0]) counts.large = 0;
  return counts;
}

}  // namespace

bool is_sealed_memory(int descriptor) {
  constexpr long kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
  return (sys::seals(descriptor) & kSeals) == kSeals;
}

wire::ArenaHeader* map_arena(int descriptor, std::size_t file_bytes, const wire::Reply& reply) {
  if (descriptor < 0 || reply.small_chunks > wire::kMaxChunks[0] ||
      reply.large_chunks > wire::kMaxChunks[1])
    return nullptr;
  const Counts counts = counts_to_map(reply);
  if (counts.small < std::min(kFewestSmall, reply.small_chunks)) return nullptr;
  const std::size_t bytes = wire::arena_bytes(counts.small, counts.large);
  if (file_bytes < bytes) return nullptr;
  void* memory = map_shared(bytes, descriptor);
  if (sys::failed(memory)) return nullptr;
  sys::madvise(memory, bytes, MADV_DONTDUMP);  // keeps the arena out of core dumps
  auto* arena = static_cast<wire::ArenaHeader*>(memory);
  // Touches the page with a write. A read would map sixteen pages and later unmap them again: 3 us.
  arena->failed_handshakes.fetch_add(0, std::memory_order_relaxed);
  if (arena->magic == wire::kArenaMagic && arena->version == wire::kWireVersion) {
    mapped_chunks(ChunkSize::kSmall).store(counts.small, std::memory_order_relaxed);
    mapped_chunks(ChunkSize::kLarge).store(counts.large, std::memory_order_relaxed);
    return arena;
  }
  if (memory == g_place.address)
    leave_arena_of_parent();
  else
    sys::munmap(memory, bytes);
  return nullptr;
}

void leave_arena(wire::ArenaHeader* arena) {
  const std::size_t small = bytes_of(mapped_chunks(ChunkSize::kSmall).load(), ChunkSize::kSmall);
  const std::size_t large = bytes_of(mapped_chunks(ChunkSize::kLarge).load(), ChunkSize::kLarge);
  auto* const first = reinterpret_cast<std::byte*>(arena);
  // The large chunks come first, because the header must change its meaning last.
  replace(first + wire::pool_offset(ChunkSize::kLarge), large);
  if (!replace(first, wire::kArenaHeaderBytes + small)) return;
  write_left_header(arena);
}

void leave_arena_of_parent() {
  if (g_place.bytes == 0 || !replace(g_place.address, g_place.bytes)) return;
  write_left_header(static_cast<wire::ArenaHeader*>(g_place.address));
}

void unmap_arena(wire::ArenaHeader* arena) {
  if (arena == g_place.address) return leave_arena(arena);
  sys::munmap(arena,
              wire::arena_bytes(mapped_chunks(ChunkSize::kSmall).load(std::memory_order_relaxed),
                                mapped_chunks(ChunkSize::kLarge).load(std::memory_order_relaxed)));
}

void shrink_arena(std::uint64_t bytes) {
  if (g_process.arena == nullptr || g_process.sandboxed.load(std::memory_order_relaxed)) return;
  Counts keep{};
  for (const auto size : {ChunkSize::kSmall, ChunkSize::kLarge}) {
    const std::uint32_t backed =
        wire::pool_of(g_process.arena, size).backed.load(std::memory_order_acquire);
    (size == ChunkSize::kSmall ? keep.small : keep.large) =
        std::min(backed, mapped_chunks(size).load(std::memory_order_relaxed));
  }
  if (bytes != RLIM_INFINITY) keep = affordable(bytes, keep);
  shrink(ChunkSize::kSmall, std::max(keep.small, kFewestSmall));
  shrink(ChunkSize::kLarge, keep.large);
}

}  // namespace prof::core
