// The pipe in which processes say that they have joined, and wait for nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"
#include "collector/session/session_directory.hpp"
#include "injection/wire/handshake.hpp"

namespace prof::session {

class Arrivals {
 public:
  static base::Result<Arrivals> create(const SessionDirectory& directory);

  // Calls `take` for all that were there as we came, in the order they were written: others may
  // come as fast as we take them. Nothing wakes us for them.
  void take(const std::function<void(const wire::Arrival&)>& take);

  // How often there was something else.
  std::uint64_t misunderstood() const { return misunderstood_; }

 private:
  Arrivals(base::UniqueFd pipe, std::size_t capacity);
  // Takes those that are whole; the rest stays.
  void take_held(const std::function<void(const wire::Arrival&)>& take);

  base::UniqueFd pipe_;
  std::size_t capacity_;
  std::vector<std::byte> bytes_;  // room for what is read
  std::size_t held_ = 0;          // of those
  std::uint64_t misunderstood_ = 0;
};

}  // namespace prof::session
