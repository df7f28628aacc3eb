// Distributes the slices of a row to lanes, so that the slices of a lane are nested or do not
// overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::formats {

// Slices must be added in the order of shown_before(). A lane closes its slices when a later slice
// needs the lane, so memory does not grow with their number.
class Lanes {
 public:
  // `nests` means that a slice may be inside of another slice of its lane.
  explicit Lanes(bool nests) : nests_(nests) {}

  // Returns the lane for the next slice. Before that, calls `close(lane, end)` for each slice that
  // it ends, in the order of their ends within each lane.
  template <class Close>
  std::size_t place(std::int64_t start, std::int64_t end, Close close) {
    std::size_t at = 0;
    for (; at < open_.size(); ++at) {
      end_until(at, start, close);
      if (open_[at].empty() || (nests_ && open_[at].back() >= end)) break;
    }
    if (at == open_.size()) open_.emplace_back();
    open_[at].push_back(end);
    return at;
  }
  // Closes all slices.
  template <class Close>
  void finish(Close close) {
    for (std::size_t at = 0; at < open_.size(); ++at) end_until(at, INT64_MAX, close);
  }
  std::size_t size() const { return open_.size(); }

 private:
  template <class Close>
  void end_until(std::size_t lane, std::int64_t time, Close close) {
    std::vector<std::int64_t>& open = open_[lane];
    for (; !open.empty() && open.back() <= time; open.pop_back()) close(lane, open.back());
  }

  bool nests_;
  std::vector<std::vector<std::int64_t>>
      open_;  // by lane: the ends of its open slices, outer first
};

}  // namespace prof::formats
