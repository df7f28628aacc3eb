// A set of numbers that processes use as ids. It allocates memory only for pages around the numbers
// that are in the set, so arbitrary numbers cost little memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <unordered_map>

namespace prof::ingest {

class IdSet {
 public:
  explicit IdSet(std::pmr::memory_resource* memory) : pages_(memory) {}

  void add(std::uint32_t process, std::uint32_t id) {
    const std::uint64_t key = key_of(process, id);
    // Most ids follow the id before, in the same page.
    if (last_ == nullptr || key != last_key_) {
      last_ = &pages_[key];
      last_key_ = key;
    }
    (*last_)[id % kIds / 64] |= bit(id);
  }

  bool has(std::uint32_t process, std::uint32_t id) const {
    const auto found = pages_.find(key_of(process, id));
    return found != pages_.end() && (found->second[id % kIds / 64] & bit(id)) != 0;
  }

 private:
  static constexpr std::uint32_t kIds = 512;  // ids in a page
  using Page = std::array<std::uint64_t, kIds / 64>;

  static std::uint64_t key_of(std::uint32_t process, std::uint32_t id) {
    return std::uint64_t{process} << 32 | id / kIds;
  }
  static std::uint64_t bit(std::uint32_t id) { return std::uint64_t{1} << (id % 64); }

  std::pmr::unordered_map<std::uint64_t, Page> pages_;
  Page* last_ = nullptr;
  std::uint64_t last_key_ = 0;
};

}  // namespace prof::ingest
