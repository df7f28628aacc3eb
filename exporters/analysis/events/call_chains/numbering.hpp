// Numbers values in the order of their first occurrence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::events {

// A hash table for millions of look-ups: open addressing, with the keys in one array. `Hash` maps a
// key to 64 bits and may be weak.
template <class Key, class Hash>
class Numbering {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // Returns the number of a key. A new key gets the next number.
  std::uint32_t of(const Key& key) {
    if (keys_.size() * 4 >= slots_.size() * 3) grow();
    std::uint32_t& slot = slots_[slot_of(key)];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back(key);
    }
    return slot;
  }

  const Key& key(std::uint32_t number) const { return keys_[number]; }
  std::size_t size() const { return keys_.size(); }

 private:
  // Returns the slot that has the key, or the empty slot where the key belongs.
  std::size_t slot_of(const Key& key) const {
    std::uint64_t hash = Hash()(key) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at] == kNone || keys_[slots_[at]] == key) return at;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kNone);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      slots_[slot_of(keys_[i])] = static_cast<std::uint32_t>(i);
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace prof::events
