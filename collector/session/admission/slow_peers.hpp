// Connections that have not said Hello yet. There is no telling a target that is short of CPU from
// a peer that means ill, so they get some time, and no more than a part of our descriptors.
#pragma once

#include <chrono>
#include <unordered_map>
#include <vector>

#include "collector/base/unique_fd.hpp"

namespace prof::session {

class SlowPeers {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // How many we can afford, of the descriptors that we may have.
  static std::size_t most_at_a_time();

  // At most `most` at a time.
  explicit SlowPeers(std::size_t most) : most_(most) {}

  // Is there room for another one? Drops the oldest for it, if it had a fair chance to speak.
  bool make_room(Time now);
  void add(base::UniqueFd connection, Time now);
  // The connection of that number; invalid if there is none.
  base::UniqueFd take(int fd);
  // Numbers of the connections that have something to say, or have hung up; oldest first.
  std::vector<int> those_who_spoke() const;
  // Drops those that had their time.
  void drop_late(Time now);

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
