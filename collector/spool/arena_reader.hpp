// Moves published records out of the arena and frees chunks. Treats everything it reads there as
// written by an enemy: each value is loaded once, checked, and only the copy is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/spool/arena.hpp"
#include "collector/spool/spool.hpp"
#include "injection/wire/chunk.hpp"

namespace prof::spool {

struct DrainStats {
  std::uint64_t bytes = 0;
  ChunkCounts owned;  // after the drain
};

class ArenaReader {
 public:
  using Sink = std::function<base::Status(const PieceHeader&, std::span<const std::byte>)>;

  explicit ArenaReader(const Arena& arena);  // which outlives it

  // Hands everything published since the last call to `sink`, at most one call per chunk, records
  // of one chunk in order. Frees chunks that are retired or whose process is dead. If the sink
  // fails, the chunk keeps its records for the next call and the error is returned.
  base::Result<DrainStats> drain(const Sink& sink);

  // The process image will write no more (it ended, or exec'ed): whatever its chunks hold is final,
  // and the next drain takes it.
  void mark_dead(std::uint32_t serial) { dead_.insert(serial); }

  // Chunks whose contents made no sense and were skipped.
  std::uint64_t corrupt_chunks() const { return corrupt_; }

 private:
  base::Status drain_chunk(std::uint32_t index, std::uint64_t owner, const Sink& sink,
                           DrainStats& stats);
  void free_chunk(std::uint32_t index);

  const Arena& arena_;
  std::vector<std::uint32_t> drained_;  // bytes taken from each chunk since it was claimed
  std::unordered_set<std::uint32_t> dead_;
  std::uint64_t corrupt_ = 0;
};

}  // namespace prof::spool
