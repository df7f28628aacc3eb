#include "exporters/events/call_tree.hpp"

namespace prof::events {

CallTree::Node CallTree::below(std::uint32_t above, std::uint32_t frame) {
  const Node node = nodes_.of((std::uint64_t{above} << 32) | frame);
  if (node == self_.size()) self_.emplace_back();
  return node;
}

CallTree::Node CallTree::child(std::uint32_t root, Node parent, std::uint32_t frame) {
  return below(parent == kNone ? above_all(root) : parent, frame);
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
    const std::uint32_t up = depth == 0 ? above_all(root) : last_.back().node;
    last_.push_back({frame_at(depth), below(up, frame_at(depth))});
  }
  return last_.empty() ? kNone : last_.back().node;
}

std::vector<CallTree::Amount> CallTree::totals() const {
  std::vector<Amount> totals = self_;
  for (Node node = static_cast<Node>(size()); node-- > 0;) {
    const Node above = parent(node);
    if (above != kNone) totals[above].add(totals[node]);
  }
  return totals;
}

std::uint32_t CallTree::root(Node node) const {
  std::uint32_t up = above(node);
  while (up < kFirstRoot) up = above(up);
  return up - kFirstRoot;
}

}  // namespace prof::events
