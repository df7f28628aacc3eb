#include "collector/ingest/arena_reader.hpp"

#include <algorithm>

#include "injection/wire/records.hpp"

namespace prof::ingest {

using base::Status;

ArenaReader::ArenaReader(const Arena& arena)
    : arena_(arena.header()), chunks_(arena.max_chunks()), drained_(chunks_) {}

base::Result<DrainStats> ArenaReader::drain(const Sink& sink) {
  DrainStats stats;
  const std::uint32_t chunks =
      std::min(arena_->backed_chunks.load(std::memory_order_relaxed), chunks_);
  for (std::uint32_t i = 0; i < chunks; ++i) {
    const std::uint64_t owner = arena_->owners[i].load(std::memory_order_acquire);
    if (owner == 0) continue;
    ++stats.owned_chunks;
    if (Status drained = drain_chunk(i, owner, sink, stats); !drained)
      return tl::make_unexpected(drained.error());
  }
  return stats;
}

Status ArenaReader::drain_chunk(std::uint32_t index, std::uint64_t owner, const Sink& sink,
                                DrainStats& stats) {
  wire::ChunkHeader* chunk = wire::chunk_at(arena_, index);
  const std::uint32_t serial = wire::owner_serial(owner);
  // Before `committed`: once either holds, `committed` is final.
  const bool final = chunk->retired.load(std::memory_order_acquire) != 0 || dead_.contains(serial);
  const std::uint32_t committed = chunk->committed.load(std::memory_order_acquire);
  std::uint32_t& drained = drained_[index];
  if (committed > drained) {
    const PieceHeader piece{serial, static_cast<std::uint32_t>(owner), chunk->claimed, drained, 0};
    const bool sane = committed <= wire::kChunkCapacity &&
                      committed % wire::kRecordAlignment == 0 && chunk->magic == wire::kChunkMagic;
    if (sane) {
      const auto* records = reinterpret_cast<const std::byte*>(chunk + 1);
      if (Status taken = sink(piece, {records + drained, committed - drained}); !taken)
        return taken;
      stats.bytes += committed - drained;
      drained = committed;
    } else {
      ++corrupt_;
      drained = ~0U;  // nothing more is believed of this chunk
    }
  }
  if (final) {
    free_chunk(index);
    --stats.owned_chunks;
  }
  return {};
}

void ArenaReader::free_chunk(std::uint32_t index) {
  wire::ChunkHeader* chunk = wire::chunk_at(arena_, index);
  chunk->committed.store(0, std::memory_order_relaxed);
  chunk->retired.store(0, std::memory_order_relaxed);
  drained_[index] = 0;
  // Pairs with the acquire of the claiming compare-and-swap: the next owner finds a clean header.
  arena_->owners[index].store(0, std::memory_order_release);
}

}  // namespace prof::ingest
