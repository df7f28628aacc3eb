#include "exporters/analysis/events/call_chains/call_tree.hpp"

namespace prof::events {

CallTree::Node CallTree::child_of_key(std::uint32_t parent, std::uint32_t frame) {
  const Node node = nodes_.of((std::uint64_t{parent} << 32) | frame);
  if (node == self_.size()) self_.emplace_back();
  return node;
}

CallTree::Node CallTree::child(std::uint32_t root, Node parent, std::uint32_t frame) {
  return child_of_key(parent == kNone ? root_key(root) : parent, frame);
}

CallTree::Node CallTree::of_chain(std::uint32_t root, std::span<const std::uint32_t> frames) {
  if (root != last_root_) last_.clear();
  last_root_ = root;
  std::size_t depth = 0;
  const auto frame_at = [&](std::size_t at) { return frames[frames.size() - 1 - at]; };
  while (depth < frames.size() && depth < last_.size() && last_[depth].frame == frame_at(depth))
    ++depth;
  last_.resize(depth);
  for (; depth < frames.size(); ++depth) {
    const std::uint32_t up = depth == 0 ? root_key(root) : last_.back().node;
    last_.push_back({frame_at(depth), child_of_key(up, frame_at(depth))});
  }
  return last_.empty() ? kNone : last_.back().node;
}

std::vector<CallTree::Amount> CallTree::totals() const {
  std::vector<Amount> totals = self_;
  for (Node node = static_cast<Node>(size()); node-- > 0;) {
    const Node up = parent(node);
    if (up != kNone) totals[up].add(totals[node]);
  }
  return totals;
}

std::uint32_t CallTree::root(Node node) const {
  std::uint32_t up = parent_key(node);
  while (up < kFirstRoot) up = parent_key(up);
  return up - kFirstRoot;
}

}  // namespace prof::events
