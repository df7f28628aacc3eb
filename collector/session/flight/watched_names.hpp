// The triggers that a text concerns, by the text's hash. A program can make any number of texts, so
// the number of known texts is limited; texts that are no longer used are forgotten first.
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
    std::uint32_t triggers = 0;  // one bit for each trigger
    std::string text{};
    bool is_used = false;  // used since texts were forgotten the last time
  };

  void add(std::uint64_t hash, std::string_view text, std::uint32_t triggers) {
    if (triggers == 0) return;
    if (names_.size() >= kMaximum) forget();
    names_.try_emplace(hash, Name{triggers, std::string(text.substr(0, kLongest)), false});
    recent_[hash % recent_.size()] = {};
  }

  // Returns null if the text concerns no trigger.
  const Name* find(std::uint64_t hash) {
    Recent& recent = recent_[hash % recent_.size()];
    if (recent.hash == hash) return recent.name;
    const auto found = names_.find(hash);
    recent = {hash, found == names_.end() ? nullptr : &found->second};
    if (recent.name != nullptr) recent.name->is_used = true;
    return recent.name;
  }

 private:
  static constexpr std::size_t kMaximum = 65536;
  static constexpr std::size_t kLongest = 200;  // bytes kept of a text

  void forget() {
    if (std::erase_if(names_, [](const auto& each) { return !each.second.is_used; }) == 0)
      names_.clear();
    for (auto& [hash, name] : names_) name.is_used = false;
    recent_ = {};
  }

  // The results of the last look-ups. No hash is 0.
  struct Recent {
    std::uint64_t hash = 0;
    Name* name = nullptr;
  };
  std::array<Recent, 256> recent_{};

  std::unordered_map<std::uint64_t, Name> names_;
};

}  // namespace prof::session
