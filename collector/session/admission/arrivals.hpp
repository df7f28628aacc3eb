// Where processes announce that they have joined, without waiting for a reply: a pipe, and for fork
// children their slots in the arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "collector/session/session_directory.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"
#include "common/wire/chunk.hpp"
#include "common/wire/handshake.hpp"

namespace prof::session {

class Arrivals {
 public:
  // `program` is the path of the executable, empty for a fork child.
  using Take = std::function<void(const wire::Hello&, std::string_view program)>;

  // `arena` outlives the object.
  static base::Result<Arrivals> create(const SessionDirectory& directory, wire::ArenaHeader* arena);

  // Calls `take` for those that have arrived by now. A process comes after the one that it was
  // forked from. Reads no more than the pipe holds, as others may arrive as fast as they are read.
  void take(const Take& take);

  // From now on all use the pipe, so that an arrival makes fd() readable.
  void watch();
  int fd() const { return pipe_.get(); }

  // How often there was something that is not an arrival.
  std::uint64_t misunderstood() const { return misunderstood_; }

 private:
  Arrivals(base::UniqueFd pipe, std::size_t capacity, wire::ArenaHeader* arena);
  // Those that have arrived in their slots, in the order of their serials.
  std::vector<wire::Hello> in_slots();
  // Takes those from the pipe that are complete. The rest is kept.
  void take_held(const Take& take);

  base::UniqueFd pipe_;
  std::size_t capacity_;
  wire::ArenaHeader* arena_;
  std::unique_ptr<std::byte[]> bytes_;  // buffer for reading
  std::size_t held_ = 0;                // bytes in use
  std::uint64_t misunderstood_ = 0;
};

}  // namespace prof::session
