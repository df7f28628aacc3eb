#include "exporters/formats/trace/slice_names.hpp"

#include "exporters/analysis/events/api_calls.hpp"

namespace prof::formats {

std::uint32_t SliceNames::of_text(std::string_view text) {
  if (const auto known = numbers_.find(text); known != numbers_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  numbers_.emplace(texts_.back(), number);
  return number;
}

std::uint32_t SliceNames::add_id(std::int64_t id) {
  return of_text(events::without_version(strings_.text(id)));
}

}  // namespace prof::formats
