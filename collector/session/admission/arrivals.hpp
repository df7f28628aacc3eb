// The places where processes announce that they have joined, without waiting for a reply: a pipe,
// and for fork children their slots in the arena.
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

  // Calls `take` for the processes that have arrived by now. A process comes after the process that
  // it was forked from. Reads no more than the pipe can hold, because others may arrive as fast as
  // they are read.
  void take(const Take& take);

  // Makes all processes use the pipe from now on, so that an arrival makes fd() readable.
  void watch();
  int fd() const { return pipe_.get(); }

  // Returns how many invalid announcements were found.
  std::uint64_t misunderstood() const { return misunderstood_; }

 private:
  Arrivals(base::UniqueFd pipe, std::size_t capacity, wire::ArenaHeader* arena);
  // Returns the processes that have arrived in their slots, in the order of their serials.
  std::vector<wire::Hello> in_slots();
  // Calls `take` for the complete arrivals from the pipe. The rest is kept.
  void take_held(const Take& take);

  base::UniqueFd pipe_;
  std::size_t capacity_;
  wire::ArenaHeader* arena_;
  std::unique_ptr<std::byte[]> bytes_;  // buffer for reading
  std::size_t held_ = 0;                // bytes in use
  std::uint64_t misunderstood_ = 0;
};

}  // namespace prof::session
