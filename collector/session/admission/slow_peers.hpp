// Connections that have not sent Hello yet. A process that is short of CPU looks the same as a
// hostile peer. So these connections get some time, and only a part of prof's descriptors.
#pragma once

#include <chrono>
#include <unordered_map>
#include <vector>

#include "common/base/unique_fd.hpp"

namespace prof::session {

class SlowPeers {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Returns how many connections the limit of descriptors allows.
  static std::size_t affordable();

  // `most`: maximum number of connections at a time.
  explicit SlowPeers(std::size_t most) : most_(most) {}

  // Returns whether there is room for one more connection. Drops the oldest connection if it had
  // enough time to send Hello.
  bool make_room(Time now);
  void add(base::UniqueFd connection, Time now);
  // Removes and returns the connection with this descriptor. Invalid if there is none.
  base::UniqueFd take(int fd);
  // Returns the descriptors of connections that can be read or were closed, oldest first.
  std::vector<int> ready() const;
  // Drops the connections that are too old.
  void drop_expired(Time now);

  std::size_t size() const { return peers_.size(); }

 private:
  struct Waiting {
    base::UniqueFd connection;
    Time since;
  };
  std::size_t most_;
  std::unordered_map<int, Waiting> peers_;
};

}  // namespace prof::session
