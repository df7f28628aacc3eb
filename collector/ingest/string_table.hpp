// Texts of a session by their hash. All processes share a table, because a forked child refers to
// strings that its parent sent.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <unordered_map>

namespace prof::ingest {

class StringTable {
 public:
  explicit StringTable(std::pmr::memory_resource* memory) : texts_(memory) {}

  // The text must outlive the table: it is in the mapped spool.
  void define(std::uint64_t hash, std::string_view text) { texts_.try_emplace(hash, text); }

  // Returns the text, or "[Unknown]" if it is not in the spool.
  std::string_view text(std::uint64_t hash) const {
    const auto found = texts_.find(hash);
    return found == texts_.end() ? std::string_view("[Unknown]") : found->second;
  }

 private:
  std::pmr::unordered_map<std::uint64_t, std::string_view> texts_;
};

}  // namespace prof::ingest
