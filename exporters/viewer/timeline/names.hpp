// Numbers the names of events. Equal names with equal colors have the same number.
#pragma once

#include <cstdint>
#include <deque>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace prof::timeline {

// Holds names, which are never removed, so numbers and texts stay valid. May be used by several
// threads.
class Names {
 public:
  static constexpr std::uint32_t kUnknown = 0;  // "[Unknown]"

  Names();
  // In place of a color 0xRRGGBB: the name has none.
  static constexpr std::uint32_t kNoColor = 0xffffffff;
  std::uint32_t number(std::string_view text, std::uint32_t color = kNoColor);

  std::size_t size() const;
  // The text is valid as long as this object exists.
  std::string_view text(std::uint32_t number) const;
  std::uint32_t color(std::uint32_t number) const;

 private:
  struct Name {
    std::string text;
    std::uint32_t color;
  };
  struct Hash {
    std::size_t operator()(const std::pair<std::string_view, std::uint32_t>& key) const {
      return std::hash<std::string_view>{}(key.first) ^ (key.second * std::size_t{0x9e3779b9});
    }
  };

  mutable std::shared_mutex mutex_;
  std::deque<Name> names_;
  std::unordered_map<std::pair<std::string_view, std::uint32_t>, std::uint32_t, Hash> numbers_;
};

}  // namespace prof::timeline
