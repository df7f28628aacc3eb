// Holds texts of table cells.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace prof::tables {

// An immutable text with the size of a pointer. Copies share the text. Not thread-safe.
class Text {
 public:
  template <std::convertible_to<std::string_view> Source>
  Text(const Source& source) : shared_(new Shared{1, std::string(std::string_view(source))}) {}
  Text(std::string&& text) : shared_(new Shared{1, std::move(text)}) {}
  Text(const Text& other) noexcept : shared_(other.shared_) {
    if (shared_ != nullptr) ++shared_->users;
  }
  Text(Text&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  Text& operator=(Text other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~Text() {
    if (shared_ != nullptr && --shared_->users == 0) delete shared_;
  }

  // Must not be called on a moved-from text.
  std::string_view view() const { return shared_->text; }
  bool operator==(const Text& other) const { return view() == other.view(); }
  auto operator<=>(const Text& other) const { return view() <=> other.view(); }

 private:
  struct Shared {
    std::size_t users;
    std::string text;
  };
  Shared* shared_;
};

// Stores equal texts once, for columns with few different texts.
class SharedTexts {
 public:
  const Text& operator()(std::string_view text) {
    const auto known = texts_.find(text);
    if (known != texts_.end()) return known->second;
    const Text added(text);
    return texts_.emplace(added.view(), added).first->second;
  }

 private:
  std::unordered_map<std::string_view, Text> texts_;  // the keys point into the texts
};

}  // namespace prof::tables
