#include "collector/sampler/node_index.hpp"

#include <algorithm>
#include <cstring>

namespace prof::sampler {

using spool::StackNode;

namespace {

constexpr std::size_t kFewestSlots = 4096;

std::uint32_t hash_of(const StackNode& node) {
  std::uint64_t words[sizeof node / 8];
  std::memcpy(words, &node, sizeof node);
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return static_cast<std::uint32_t>(hash);
}

}  // namespace

template <class IsIt>
NodeIndex::Slot& NodeIndex::slot_for(std::uint32_t hash, IsIt is_it) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].place != 0 && (slots_[at].hash != hash || !is_it(slots_[at])))
    at = (at + 1) & mask;
  return slots_[at];
}

std::uint32_t NodeIndex::number_of(const StackNode& node) {
  if (slots_.size() <= 2 * nodes_.size()) grow();
  const std::uint32_t hash = hash_of(node);
  Slot& slot = slot_for(hash, [&](const Slot& each) { return nodes_[each.place - 1] == node; });
  if (slot.place == 0) {
    nodes_.push_back(node);
    slot = {static_cast<std::uint32_t>(nodes_.size()), hash};
  }
  return first_number_ + slot.place - 1;
}

void NodeIndex::grow() {
  const std::vector<Slot> before = std::move(slots_);
  slots_.assign(std::max(kFewestSlots, 2 * before.size()), {});
  for (const Slot& each : before)
    if (each.place != 0) slot_for(each.hash, [](const Slot&) { return false; }) = each;
}

void NodeIndex::forget() {
  first_number_ = next_number();
  nodes_.clear();
  slots_.clear();
}

}  // namespace prof::sampler
