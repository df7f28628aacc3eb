// The collector's end of the shared arena: creates it, lets it grow, hands its descriptor out.
#pragma once

#include <cstdint>

#include "collector/base/mapped_file.hpp"
#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"
#include "injection/wire/chunk.hpp"

namespace prof::ingest {

class Arena {
 public:
  // `initial` chunks are backed by memory now, more on demand up to `max`. Backing is allocated
  // before a chunk may be claimed, so that a target can never meet SIGBUS (pitfall 4.28).
  static base::Result<Arena> create(std::uint32_t initial, std::uint32_t max);

  wire::ArenaHeader* header() const { return reinterpret_cast<wire::ArenaHeader*>(memory_.data()); }
  int fd() const { return fd_.get(); }
  std::uint32_t backed() const { return backed_; }
  std::uint32_t max_chunks() const { return max_; }

  // Doubles the number of usable chunks, as far as memory allows; false if it could not.
  bool grow();
  // Puts right what only we may write of the header; was it wrong?
  bool repair();
  // Tells every process to stop recording.
  void close_recording();

 private:
  Arena(base::UniqueFd fd, base::MappedFile memory, std::uint32_t max)
      : fd_(std::move(fd)), memory_(std::move(memory)), max_(max) {}
  base::Status back(std::uint32_t chunks);

  base::UniqueFd fd_;
  base::MappedFile memory_;
  std::uint32_t max_;
  std::uint32_t backed_ = 0;
};

}  // namespace prof::ingest
