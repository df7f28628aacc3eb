// The collector's side of the arena that it shares with the target: creates the arena and lets it
// grow.
#pragma once

#include <cstdint>

#include "common/base/mapped_file.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"
#include "common/wire/chunk.hpp"

namespace prof::spool {

// The number of chunks of each size.
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

// Returns how many chunks fit into that much memory; at least 16 of each size.
ChunkCounts chunks_within(std::uint64_t bytes);

// Returns how many of the `wanted` chunks fit into a file of that size. In the file the first large
// chunk comes after the space for all small chunks.
ChunkCounts chunks_in_file(std::uint64_t bytes, ChunkCounts wanted);

// True if threads of the target can add memory to the arena themselves: from Linux 5.14 on.
bool threads_can_add_memory();

class Arena {
 public:
  // `initial` chunks have memory from now on, others later, up to `max`. Memory is allocated before
  // a thread can claim a chunk, so that neither the target nor the collector gets SIGBUS.
  static base::Result<Arena> create(ChunkCounts initial, ChunkCounts max);

  wire::ArenaHeader* header() const { return reinterpret_cast<wire::ArenaHeader*>(memory_.data()); }
  int fd() const { return fd_.get(); }
  // The numbers are not read from the header, because a target can overwrite it.
  const ChunkCounts& backed() const { return backed_; }
  const ChunkCounts& max() const { return max_; }

  // Doubles the number of usable chunks. Returns false if there is not enough memory; later calls
  // do not try again.
  bool grow(wire::ChunkSize size);
  // Adds 512 KiB of chunks, which takes a fraction of a millisecond.
  bool grow_a_little(wire::ChunkSize size);
  // Makes sure that chunks which threads of the target have added have memory, because the
  // collector does not trust those threads. Restores the fields of the header that only the
  // collector may write. Returns true if one was wrong.
  bool repair();
  // Tells every process to stop recording.
  void close_recording();

 private:
  Arena(base::UniqueFd fd, base::MappedFile memory, ChunkCounts max)
      : fd_(std::move(fd)), memory_(std::move(memory)), max_(max), limit_(max) {}
  base::Status allocate(std::size_t begin, std::size_t end);
  base::Status back(wire::ChunkSize size, std::uint32_t chunks);
  bool take_added(wire::ChunkSize size);
  bool grow_to(wire::ChunkSize size, std::uint32_t chunks);

  base::UniqueFd fd_;
  base::MappedFile memory_;
  ChunkCounts max_;
  ChunkCounts backed_;
  ChunkCounts limit_;  // the limit of growth: less than `max_` once memory was short
};

}  // namespace prof::spool
