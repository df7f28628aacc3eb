// The nodes of a tree of call chains, by what they are. Between two rounds of the collector the
// program has filled the CPU's caches, so what counts is how many places are looked at: one for a
// node that is new, two for one that is known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collector/spool/stack_records.hpp"

namespace prof::sampler {

class NodeIndex {
 public:
  // Its number, which is a new one if the node is.
  std::uint32_t number_of(const spool::StackNode& node);

  std::uint32_t next_number() const {
    return first_number_ + static_cast<std::uint32_t>(nodes_.size());
  }
  // The nodes that have numbers from that one on, which must not have been forgotten.
  std::span<const spool::StackNode> from(std::uint32_t number) const {
    return std::span(nodes_).subspan(number - first_number_);
  }
  std::size_t size() const { return nodes_.size(); }

  // Lets go of all: the same nodes get other numbers from now on.
  void forget();

 private:
  struct Slot {
    std::uint32_t place;  // in `nodes_`, + 1; 0: free
    std::uint32_t hash;
  };
  // The slot of a node that hashes so and `is_it`, or the free one where it belongs.
  template <class IsIt>
  Slot& slot_for(std::uint32_t hash, IsIt is_it);
  void grow();

  std::vector<spool::StackNode> nodes_;
  std::vector<Slot> slots_;  // a power of 2 of them, half of them free
  std::uint32_t first_number_ = 1;
};

}  // namespace prof::sampler
