#include "collector/spool/arena_reader.hpp"

#include <algorithm>
#include <atomic>

#include "common/wire/records.hpp"

namespace prof::spool {

using base::Status;

ArenaReader::ArenaReader(const Arena& arena) : arena_(arena) {}

namespace {

// Loads a word that another thread writes meanwhile.
std::uint64_t load(std::uint64_t& word) {
  return std::atomic_ref(word).load(std::memory_order_relaxed);
}

}  // namespace

base::Result<DrainStats> ArenaReader::drain(const Sink& sink, bool all_counters) {
  DrainStats stats;
  takes_all_counters_ = all_counters;
  std::vector<OwnedChunk> in_order;
  for (const auto size : {wire::ChunkSize::kSmall, wire::ChunkSize::kLarge}) {
    const std::uint32_t first = wire::first_chunk(size);
    drained_bytes(size).resize(arena_.backed()[size]);
    for (std::uint32_t i = first; i < first + arena_.backed()[size]; ++i) {
      const std::uint64_t owner = arena_.header()->owners[i].load(std::memory_order_acquire);
      if (owner == 0) continue;
      ++stats.owned[size];
      if (is_known_ && !is_known_(wire::owner_serial(owner))) continue;
      if (keeps_order_)
        in_order.push_back({i, owner, load(wire::chunk_at(arena_.header(), i)->claimed)});
      else if (Status drained = drain_chunk(i, owner, sink, stats); !drained)
        return tl::make_unexpected(drained.error());
    }
  }
  if (Status drained = drain_in_order(std::move(in_order), sink, stats); !drained)
    return tl::make_unexpected(drained.error());
  dead_.clear();  // dead processes own no chunks now
  return stats;
}

// A thread retires a chunk before it claims the next one. So if both chunks were seen, the first is
// complete.
Status ArenaReader::drain_in_order(std::vector<OwnedChunk> chunks, const Sink& sink,
                                   DrainStats& stats) {
  std::sort(chunks.begin(), chunks.end(),
            [](const OwnedChunk& a, const OwnedChunk& b) { return a.claimed < b.claimed; });
  for (const OwnedChunk& each : chunks) {
    // The owner had claimed the chunk and not written the time yet. The next drain takes the chunk.
    if (load(wire::chunk_at(arena_.header(), each.index)->claimed) != each.claimed) continue;
    if (Status drained = drain_chunk(each.index, each.owner, sink, stats); !drained) return drained;
  }
  return {};
}

Status ArenaReader::drain_chunk(std::uint32_t index, std::uint64_t owner, const Sink& sink,
                                DrainStats& stats) {
  wire::ChunkHeader* chunk = wire::chunk_at(arena_.header(), index);
  const wire::ChunkSize size = wire::size_of_chunk(index);
  const std::uint32_t serial = wire::owner_serial(owner);
  // These are read before `committed`: if either is true, `committed` is final.
  const bool final = chunk->retired.load(std::memory_order_acquire) != 0 || dead_.contains(serial);
  const std::uint32_t committed = chunk->committed.load(std::memory_order_acquire);
  std::uint32_t& drained = drained_bytes(size)[index - wire::first_chunk(size)];
  // Before its first records are published, the owner may still be writing the time of the claim.
  const PieceHeader piece{serial, static_cast<std::uint32_t>(owner),
                          committed != 0 ? chunk->claimed : 0, drained, 0};
  if (committed > drained) {
    const bool sane = committed <= wire::chunk_capacity(size) &&
                      committed % wire::kRecordAlignment == 0 && chunk->magic == wire::kChunkMagic;
    if (sane) {
      const auto* records = reinterpret_cast<const std::byte*>(chunk + 1);
      if (Status taken = sink(piece, {records + drained, committed - drained}); !taken)
        return taken;
      stats.bytes += committed - drained;
      drained = committed;
    } else {
      ++corrupt_;
      drained = ~0U;  // skips the rest of this chunk
    }
  }
  if (final || takes_all_counters_)
    if (Status taken = take_counters(index, piece, sink); !taken) return taken;
  if (final) {
    free_chunk(index);
    --stats.owned[size];
  }
  return {};
}

// The piece comes after all others of the chunk.
Status ArenaReader::take_counters(std::uint32_t index, PieceHeader piece, const Sink& sink) {
  wire::ChunkHeader* chunk = wire::chunk_at(arena_.header(), index);
  const std::uint32_t capacity = wire::chunk_capacity(wire::size_of_chunk(index));
  constexpr std::uint32_t kSize = sizeof(wire::ShortCallCounter);
  const std::uint32_t count =
      std::min(chunk->counters.load(std::memory_order_acquire), capacity / kSize);
  if (count == 0 || chunk->magic != wire::kChunkMagic) return {};
  std::vector<Counted>& counted = counted_[index];
  if (counted.size() < count) counted.resize(count);
  std::vector<wire::ShortCallsRecord> records;
  for (std::uint32_t i = 0; i < count; ++i) {
    wire::ShortCallCounter& counter = *(wire::counters_end(chunk, index) - i - 1);
    const Counted now{load(counter.calls), load(counter.time)};
    if (now.calls == counted[i].calls) continue;
    records.push_back({{sizeof(wire::ShortCallsRecord), wire::RecordType::kShortCalls, 0,
                        std::atomic_ref(counter.function).load(std::memory_order_relaxed)},
                       now.calls - counted[i].calls,
                       now.time - counted[i].time,
                       load(counter.first),
                       load(counter.last)});
    counted[i] = now;
  }
  piece.offset = capacity;
  return records.empty() ? Status() : sink(piece, std::as_bytes(std::span(records)));
}

void ArenaReader::free_chunk(std::uint32_t index) {
  wire::ChunkHeader* chunk = wire::chunk_at(arena_.header(), index);
  counted_.erase(index);
  chunk->counters.store(0, std::memory_order_relaxed);
  chunk->committed.store(0, std::memory_order_relaxed);
  chunk->retired.store(0, std::memory_order_relaxed);
  const wire::ChunkSize size = wire::size_of_chunk(index);
  const std::uint32_t number = index - wire::first_chunk(size);
  drained_bytes(size)[number] = 0;
  // This release pairs with the acquire of the claiming compare-and-swap: the next owner finds a
  // clean header.
  arena_.header()->owners[index].store(0, std::memory_order_release);
  std::atomic<std::uint32_t>& free_from = wire::pool_of(arena_.header(), size).free_from;
  std::uint32_t from = free_from.load(std::memory_order_relaxed);
  // This is only a hint: if the exchange fails, a search takes longer.
  if (number < from) free_from.compare_exchange_strong(from, number, std::memory_order_relaxed);
}

}  // namespace prof::spool
