// Call chains merged into a tree from the outermost frame on: as large as there are different ways
// to a frame, not as there are samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exporters/events/numbering.hpp"
#include "exporters/events/sums.hpp"

namespace prof::events {

class CallTree {
 public:
  // Parents have smaller numbers than their children.
  using Node = std::uint32_t;
  static constexpr Node kNone = UINT32_MAX;

  // The node of a chain in the tree of a root, which is any small number, as of a thread. `frames`,
  // at least one: innermost first.
  Node of_chain(std::uint32_t root, std::span<const std::uint32_t> frames);
  // The child of a node for one more frame; of kNone: of the root.
  Node child(std::uint32_t root, Node parent, std::uint32_t frame);

  struct Amount {
    std::int64_t samples = 0;
    std::int64_t weight = 0;
    void add(const Amount& more) {
      samples += more.samples;
      weight = sum(weight, more.weight);
    }
  };
  // Samples that end there.
  void add(Node node, std::int64_t samples, std::int64_t weight) {
    self_[node].add({samples, weight});
  }
  const Amount& self(Node node) const { return self_[node]; }
  // Of each node with all below it.
  std::vector<Amount> totals() const;

  std::size_t size() const { return self_.size(); }
  // kNone for those of the outermost frames.
  Node parent(Node node) const { return above(node) >= kFirstRoot ? kNone : above(node); }
  std::uint32_t frame(Node node) const { return static_cast<std::uint32_t>(nodes_.key(node)); }
  std::uint32_t root(Node node) const;
  // What tells siblings from others: their parent, or a number of the root's.
  std::uint32_t above(Node node) const {
    return static_cast<std::uint32_t>(nodes_.key(node) >> 32);
  }
  static std::uint32_t above_all(std::uint32_t root) { return kFirstRoot + root; }

 private:
  // What is above a node, parent or root, is in the upper half of its key, the frame in the lower.
  static constexpr std::uint32_t kFirstRoot = std::uint32_t{1} << 31;
  struct Same {
    std::uint64_t operator()(std::uint64_t key) const { return key ^ (key >> 31); }
  };

  Node below(std::uint32_t above, std::uint32_t frame);

  Numbering<std::uint64_t, Same> nodes_;
  std::vector<Amount> self_;
  // The chain before, outermost first: most have the outer frames of the one before.
  struct Step {
    std::uint32_t frame;
    Node node;
  };
  std::uint32_t last_root_ = kNone;
  std::vector<Step> last_;
};

}  // namespace prof::events
