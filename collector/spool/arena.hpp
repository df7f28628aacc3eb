// The collector's end of the shared arena: creates it, lets it grow, hands its descriptor out.
#pragma once

#include <cstdint>

#include "collector/base/mapped_file.hpp"
#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"
#include "injection/wire/chunk.hpp"

namespace prof::spool {

// Chunks of each size.
struct ChunkCounts {
  std::uint32_t small = 0;
  std::uint32_t large = 0;

  std::uint32_t& operator[](wire::ChunkSize size) {
    return size == wire::ChunkSize::kSmall ? small : large;
  }
  std::uint32_t operator[](wire::ChunkSize size) const {
    return size == wire::ChunkSize::kSmall ? small : large;
  }
};

// What fits into so many bytes of memory; never less than a few of each.
ChunkCounts chunks_within(std::uint64_t bytes);

// What of `wanted` fits into a file of so many bytes, which has room for all small chunks before
// the first large one.
ChunkCounts chunks_in_file(std::uint64_t bytes, ChunkCounts wanted);

class Arena {
 public:
  // `initial` chunks are backed by memory now, more on demand up to `max`. Backing is allocated
  // before a chunk may be claimed, so that a target can never meet SIGBUS (pitfall 4.28).
  static base::Result<Arena> create(ChunkCounts initial, ChunkCounts max);

  wire::ArenaHeader* header() const { return reinterpret_cast<wire::ArenaHeader*>(memory_.data()); }
  int fd() const { return fd_.get(); }
  // Not from the header, which a target may have overwritten.
  const ChunkCounts& backed() const { return backed_; }
  const ChunkCounts& max() const { return max_; }

  // Doubles the number of usable chunks, as far as memory allows; false if it could not. Memory
  // that was refused once is not asked for again.
  bool grow(wire::ChunkSize size);
  // The same, but by no more than takes a fraction of a millisecond.
  bool grow_a_little(wire::ChunkSize size);
  // Puts right what only we may write of the header; was it wrong?
  bool repair();
  // Tells every process to stop recording.
  void close_recording();

 private:
  Arena(base::UniqueFd fd, base::MappedFile memory, ChunkCounts max)
      : fd_(std::move(fd)), memory_(std::move(memory)), max_(max) {}
  base::Status back(wire::ChunkSize size, std::uint32_t chunks);
  bool grow_to(wire::ChunkSize size, std::uint32_t chunks);

  base::UniqueFd fd_;
  base::MappedFile memory_;
  ChunkCounts max_;
  ChunkCounts backed_;
};

}  // namespace prof::spool
