// The texts of a table.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace prof::tables {

// A text that never changes, as small as a pointer: copies share it. For one thread.
class Text {
 public:
  template <std::convertible_to<std::string_view> Source>
  Text(const Source& source) : shared_(new Shared{1, std::string(std::string_view(source))}) {}
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

  // Not of a text that was moved from.
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

// Keeps one of each text, for columns that have few.
class SharedTexts {
 public:
  const Text& operator()(std::string_view text) {
    const auto known = texts_.find(text);
    if (known != texts_.end()) return known->second;
    const Text added(text);
    return texts_.emplace(added.view(), added).first->second;
  }

 private:
  std::unordered_map<std::string_view, Text> texts_;  // the keys are the texts' own
};

}  // namespace prof::tables
