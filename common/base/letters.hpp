// ASCII letters, independent of the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace prof::base {

constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string to_lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return to_lower(c); });
  return lower;
}

}  // namespace prof::base
