// Which triggers a text is about, by its hash. A program can make texts without end, so only so
// many are known; those that are not used any more are forgotten first.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace prof::session {

class WatchedNames {
 public:
  struct Name {
    std::uint32_t triggers = 0;  // a bit for each
    std::string text{};
    bool is_used = false;  // since the last time that some were forgotten
  };

  void add(std::uint64_t hash, std::string_view text, std::uint32_t triggers) {
    if (triggers == 0) return;
    if (names_.size() >= kMost) forget();
    names_.try_emplace(hash, Name{triggers, std::string(text.substr(0, kLongest)), false});
    recent_[hash % recent_.size()] = {};
  }

  // Null: it is about none.
  const Name* find(std::uint64_t hash) {
    Recent& recent = recent_[hash % recent_.size()];
    if (recent.hash == hash) return recent.name;
    const auto found = names_.find(hash);
    recent = {hash, found == names_.end() ? nullptr : &found->second};
    if (recent.name != nullptr) recent.name->is_used = true;
    return recent.name;
  }

 private:
  static constexpr std::size_t kMost = 65536;
  static constexpr std::size_t kLongest = 200;  // of a text

  void forget() {
    if (std::erase_if(names_, [](const auto& each) { return !each.second.is_used; }) == 0)
      names_.clear();
    for (auto& [hash, name] : names_) name.is_used = false;
    recent_ = {};
  }

  // The answers to the last questions. No hash is 0.
  struct Recent {
    std::uint64_t hash = 0;
    Name* name = nullptr;
  };
  std::array<Recent, 256> recent_{};

  std::unordered_map<std::uint64_t, Name> names_;
};

}  // namespace prof::session
