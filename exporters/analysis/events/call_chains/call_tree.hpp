// Merges call chains into a tree that starts with the outermost frame. The tree grows with the
// number of different paths, not with the number of samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exporters/analysis/events/call_chains/numbering.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::events {

class CallTree {
 public:
  // A node's number. Parents have smaller numbers than their children.
  using Node = std::uint32_t;
  static constexpr Node kNone = UINT32_MAX;

  // Returns the node of a chain below a root, and creates missing nodes. A root is any small
  // number, such as the number of a thread. `frames` has the innermost frame first and is not
  // empty.
  Node of_chain(std::uint32_t root, std::span<const std::uint32_t> frames);
  // Returns the node that one more frame makes below `parent`. A `parent` of kNone stands for the
  // root.
  Node child(std::uint32_t root, Node parent, std::uint32_t frame);

  struct Amount {
    std::int64_t samples = 0;
    std::int64_t weight = 0;
    void add(const Amount& more) {
      samples += more.samples;
      weight = sum(weight, more.weight);
    }
  };
  // Adds samples whose chain ends at the node.
  void add(Node node, std::int64_t samples, std::int64_t weight) {
    self_[node].add({samples, weight});
  }
  const Amount& self(Node node) const { return self_[node]; }
  // For each node: the amount of the node and all nodes below it.
  std::vector<Amount> totals() const;

  std::size_t size() const { return self_.size(); }
  // Returns the parent node, or kNone for an outermost frame.
  Node parent(Node node) const { return parent_key(node) >= kFirstRoot ? kNone : parent_key(node); }
  std::uint32_t frame(Node node) const { return static_cast<std::uint32_t>(nodes_.key(node)); }
  std::uint32_t root(Node node) const;
  // Siblings have the same key: their parent's number or, for outermost frames, a key of the root.
  std::uint32_t parent_key(Node node) const {
    return static_cast<std::uint32_t>(nodes_.key(node) >> 32);
  }
  static std::uint32_t root_key(std::uint32_t root) { return kFirstRoot + root; }

 private:
  // The upper half of a node's key is its parent or root, the lower half its frame.
  static constexpr std::uint32_t kFirstRoot = std::uint32_t{1} << 31;
  struct IdentityHash {
    std::uint64_t operator()(std::uint64_t key) const { return key ^ (key >> 31); }
  };

  Node child_of_key(std::uint32_t parent, std::uint32_t frame);

  Numbering<std::uint64_t, IdentityHash> nodes_;
  std::vector<Amount> self_;
  // The previous chain, outermost frame first. Most chains share their outer frames with it.
  struct Step {
    std::uint32_t frame;
    Node node;
  };
  std::uint32_t last_root_ = kNone;
  std::vector<Step> last_;
};

}  // namespace prof::events
