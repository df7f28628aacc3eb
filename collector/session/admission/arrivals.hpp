// The pipe in which processes announce that they have joined. They do not wait for a reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"
#include "collector/session/session_directory.hpp"
#include "injection/wire/handshake.hpp"

namespace prof::session {

class Arrivals {
 public:
  static base::Result<Arrivals> create(const SessionDirectory& directory);

  // Calls `take` for the arrivals that are in the pipe now, in the order they were written. Reads
  // no more than the pipe holds, as others may arrive as fast as they are read.
  void take(const std::function<void(const wire::Arrival&)>& take);

  // Readable when there are arrivals.
  int fd() const { return pipe_.get(); }

  // How often the pipe held something that is not an arrival.
  std::uint64_t misunderstood() const { return misunderstood_; }

 private:
  Arrivals(base::UniqueFd pipe, std::size_t capacity);
  // Takes the arrivals that are complete. The rest is kept.
  void take_held(const std::function<void(const wire::Arrival&)>& take);

  base::UniqueFd pipe_;
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> bytes_;  // buffer for reading
  std::size_t held_ = 0;                // bytes in use
  std::uint64_t misunderstood_ = 0;
};

}  // namespace prof::session
