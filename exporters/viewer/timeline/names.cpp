#include "exporters/viewer/timeline/names.hpp"

#include <mutex>

namespace prof::timeline {

Names::Names() { number("[Unknown]"); }

std::uint32_t Names::number(std::string_view text, std::uint32_t color) {
  const std::scoped_lock lock(mutex_);
  const auto known = numbers_.find({text, color});
  if (known != numbers_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push_back({std::string(text), color});
  numbers_.emplace(std::pair(std::string_view(names_.back().text), color), number);
  return number;
}

std::size_t Names::size() const {
  const std::shared_lock lock(mutex_);
  return names_.size();
}

std::string_view Names::text(std::uint32_t number) const {
  const std::shared_lock lock(mutex_);
  return number < names_.size() ? std::string_view(names_[number].text) : std::string_view();
}

std::uint32_t Names::color(std::uint32_t number) const {
  const std::shared_lock lock(mutex_);
  return number < names_.size() ? names_[number].color : kNoColor;
}

}  // namespace prof::timeline
