// Numbers the nodes of a call chain tree. Between two drains the program fills the CPU's caches, so
// the cost of a look-up is the number of places in memory that it reads. A new node takes one read,
// a known node two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collector/spool/stack_records.hpp"

namespace prof::sampler {

class NodeIndex {
 public:
  // Returns the number of a node. A new node gets a new number.
  std::uint32_t number_of(const spool::StackNode& node);

  std::uint32_t next_number() const {
    return first_number_ + static_cast<std::uint32_t>(nodes_.size());
  }
  // Returns the nodes from this number on. They must not have been forgotten.
  std::span<const spool::StackNode> from(std::uint32_t number) const {
    return std::span(nodes_).subspan(number - first_number_);
  }
  std::size_t size() const { return nodes_.size(); }

  // Forgets all nodes. From now on the same nodes get new numbers.
  void forget();

 private:
  struct Slot {
    std::uint32_t place;  // index in `nodes_`, plus 1; 0: free
    std::uint32_t hash;
  };
  // Returns the slot of the node with this hash for which `is_it` is true, or the free slot for it.
  template <class IsIt>
  Slot& slot_for(std::uint32_t hash, IsIt is_it);
  void grow();

  std::vector<spool::StackNode> nodes_;
  std::vector<Slot> slots_;  // the size is a power of 2, and at least half of the slots are free
  std::uint32_t first_number_ = 1;
};

}  // namespace prof::sampler
