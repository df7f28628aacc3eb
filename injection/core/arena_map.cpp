#include "injection/core/arena_map.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

namespace {

// Below, a process with a few threads would lose most of what it records.
constexpr std::uint32_t kFewestChunks = 8;

// Chunks that fit into our part of a limit.
std::uint32_t affordable_chunks(std::uint64_t limit, std::uint32_t most) {
  const std::uint64_t ours = limit / 8;
  if (ours < wire::kArenaHeaderBytes) return 0;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>((ours - wire::kArenaHeaderBytes) / wire::kChunkBytes, most));
}

std::uint32_t one_past_last_owned(const wire::ArenaHeader& arena, std::uint32_t chunks) {
  while (chunks > 0 && wire::owner_serial(arena.owners[chunks - 1].load(
                           std::memory_order_seq_cst)) != g_process.serial)
    --chunks;
  return chunks;
}

}  // namespace

wire::ArenaHeader* map_arena(int descriptor, std::uint32_t max_chunks) {
  if (descriptor < 0 || max_chunks == 0 || max_chunks > wire::kMaxChunks) return nullptr;
  const std::uint64_t limit = sys::limit(RLIMIT_AS);
  const std::uint32_t chunks =
      limit == RLIM_INFINITY ? max_chunks : affordable_chunks(limit, max_chunks);
  if (chunks < std::min(kFewestChunks, max_chunks)) return nullptr;
  const std::size_t bytes = wire::arena_bytes(chunks);
  void* memory = sys::mmap(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor);
  if (sys::failed(memory)) return nullptr;
  sys::madvise(memory, bytes, MADV_DONTDUMP);  // a core dump is the program's, not ours
  auto* arena = static_cast<wire::ArenaHeader*>(memory);
  if (arena->magic == wire::kArenaMagic && arena->version == wire::kWireVersion) {
    g_process.mapped_chunks.store(chunks, std::memory_order_relaxed);
    return arena;
  }
  sys::munmap(memory, bytes);
  return nullptr;
}

void shrink_arena(std::uint64_t bytes) {
  wire::ArenaHeader* arena = g_process.arena;
  if (arena == nullptr || g_process.sandboxed.load(std::memory_order_relaxed)) return;
  std::uint32_t before = g_process.mapped_chunks.load(std::memory_order_relaxed);
  const std::uint32_t backed = arena->backed_chunks.load(std::memory_order_acquire);
  std::uint32_t keep = std::min(before, backed);
  if (bytes != RLIM_INFINITY) keep = std::max(affordable_chunks(bytes, keep), kFewestChunks);
  if (keep >= before) return;
  // A thread that claims a chunk looks at the bound afterwards (ring_writer.cpp): either it sees
  // this store and lets go, or its claim is seen here and the chunk stays.
  if (!g_process.mapped_chunks.compare_exchange_strong(before, keep, std::memory_order_seq_cst))
    return;  // another thread is at it
  keep = std::max(keep, one_past_last_owned(*arena, before));
  g_process.mapped_chunks.store(keep, std::memory_order_seq_cst);
  sys::munmap(wire::chunk_at(arena, keep), wire::arena_bytes(before) - wire::arena_bytes(keep));
}

}  // namespace prof::core
