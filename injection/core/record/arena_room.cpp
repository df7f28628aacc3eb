#include "injection/core/record/arena_room.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace prof::core {

namespace {

// Returns 8 MiB of each size: the memory that a program with many threads may use between two polls
// of the collector. This is not an array: a fork child would have a page fault for a page of
// constants.
constexpr std::uint32_t chunks_between_polls(wire::ChunkSize size) {
  return size == wire::ChunkSize::kSmall ? 2048 : 128;
}
constexpr std::uint32_t kStepBytes = 64 * 1024;

bool may_add() { return !g_process.sandboxed.load(std::memory_order_relaxed); }

// Allocates the pages of a part of the arena. The kernel returns an error where an access would
// raise SIGBUS.
bool populate(void* begin, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t page = machine::page_bytes();
  const std::uintptr_t first = address & ~(page - 1);
  const std::uintptr_t end = (address + bytes + page - 1) & ~(page - 1);
  return sys::madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_WRITE) == 0;
}

bool add_chunks(wire::ChunkSize size, std::uint32_t count) {
  if (!may_add()) return false;
  wire::ArenaHeader* arena = g_process.arena;
  std::atomic<std::uint32_t>& backed = wire::pool_of(arena, size).backed;
  std::uint32_t from = backed.load(std::memory_order_acquire);
  const std::uint32_t mapped = mapped_chunks(size).load(std::memory_order_seq_cst);
  if (from >= mapped) return false;
  count = std::min(count, mapped - from);
  const std::uint32_t first = wire::first_chunk(size) + from;
  if (!populate(arena->owners + first, count * sizeof arena->owners[0]) ||
      !populate(wire::chunk_at(arena, first), std::size_t{count} * wire::chunk_bytes(size)))
    return false;
  // If chunks were unmapped in the meantime (shrink_arena() lowers the bound first), something else
  // may have been populated.
  if (mapped_chunks(size).load(std::memory_order_seq_cst) < from + count) return false;
  // Pairs with the acquire of usable_chunks(). If the exchange fails, another thread has added
  // chunks.
  backed.compare_exchange_strong(from, from + count, std::memory_order_release,
                                 std::memory_order_relaxed);
  return true;
}

}  // namespace

std::uint32_t usable_chunks(wire::ChunkSize size) {
  return std::min(wire::pool_of(g_process.arena, size).backed.load(std::memory_order_acquire),
                  mapped_chunks(size).load(std::memory_order_seq_cst));
}

std::uint32_t expected_chunks(wire::ChunkSize size) {
  const std::uint32_t usable = usable_chunks(size);
  if (!may_add()) return usable;
  return std::max(usable, std::min(chunks_between_polls(size),
                                   mapped_chunks(size).load(std::memory_order_relaxed)));
}

bool add_chunks(wire::ChunkSize size) {
  return add_chunks(size, kStepBytes / wire::chunk_bytes(size));
}

void reserve_chunks(std::uint32_t part) {
  if (g_process.arena == nullptr) return;
  for (const auto size : {wire::ChunkSize::kSmall, wire::ChunkSize::kLarge}) {
    const std::uint32_t wanted = expected_chunks(size) / part;
    for (std::uint32_t usable; (usable = usable_chunks(size)) < wanted;)
      if (!add_chunks(size, wanted - usable)) break;
  }
  g_process.arena->room_wanted.store(1, std::memory_order_relaxed);
}

}  // namespace prof::core
