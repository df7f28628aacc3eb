// Copies published records out of the arena and frees chunks. Does not trust the target: loads each
// value once, checks it, and uses only the copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collector/spool/arena.hpp"
#include "collector/spool/spool.hpp"
#include "common/base/result.hpp"
#include "common/wire/chunk.hpp"

namespace prof::spool {

struct DrainStats {
  std::uint64_t bytes = 0;
  ChunkCounts owned;  // owned chunks after the drain
};

class ArenaReader {
 public:
  using Sink = std::function<base::Status(const PieceHeader&, std::span<const std::byte>)>;

  explicit ArenaReader(const Arena& arena);  // the arena outlives the reader

  // Passes everything that was published since the last call to `sink`: one call per chunk, with
  // its records in order. Frees chunks that are retired or whose process is dead, and passes their
  // counters of short calls as another piece. `all_counters`: also passes the counters of the other
  // chunks, if they changed. If the sink fails, returns the error; the chunk keeps its records for
  // the next call.
  base::Result<DrainStats> drain(const Sink& sink, bool all_counters = false);

  // From now on the pieces of a thread come in the order in which it wrote them. Otherwise the
  // pieces of several chunks may come in another order.
  void keep_order() { keeps_order_ = true; }

  // Skips the chunks of process images that `is_known` does not know yet. Empty: skips none.
  void wait_for(std::function<bool(std::uint32_t serial)> is_known) {
    is_known_ = std::move(is_known);
  }

  // Notes that the process image writes no more, because it ended or called exec. The next drain
  // takes the rest of its chunks.
  void mark_dead(std::uint32_t serial) { dead_.insert(serial); }

  // Returns how many chunks were skipped because their contents were invalid.
  std::uint64_t corrupt_chunks() const { return corrupt_; }

 private:
  struct Counted {
    std::uint64_t calls = 0;
    std::uint64_t time = 0;
  };

  struct OwnedChunk {
    std::uint32_t index;
    std::uint64_t owner;
    std::uint64_t claimed;
  };
  base::Status drain_in_order(std::vector<OwnedChunk> chunks, const Sink& sink, DrainStats& stats);
  base::Status drain_chunk(std::uint32_t index, std::uint64_t owner, const Sink& sink,
                           DrainStats& stats);
  base::Status take_counters(std::uint32_t index, PieceHeader piece, const Sink& sink);
  void free_chunk(std::uint32_t index);
  std::vector<std::uint32_t>& drained_bytes(wire::ChunkSize size) {
    return drained_[static_cast<std::size_t>(size)];
  }

  const Arena& arena_;
  // For each chunk size: how many bytes of each mapped chunk were copied since a thread claimed it.
  std::vector<std::uint32_t> drained_[wire::kChunkSizes];
  // For each chunk that is not free yet: the counter values that were passed on.
  std::unordered_map<std::uint32_t, std::vector<Counted>> counted_;
  std::unordered_set<std::uint32_t> dead_;
  std::function<bool(std::uint32_t serial)> is_known_;
  bool takes_all_counters_ = false;
  bool keeps_order_ = false;
  std::uint64_t corrupt_ = 0;
};

}  // namespace prof::spool
