// Matches names with patterns, as in --name, --process and --thread of prof stats, and finds parts
// of texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prof::tables {

// True if the name matches the pattern. In a glob, * stands for any characters, ? for one, [a-z]
// for one of a set. A pattern without any of these matches names that contain it. Upper and lower
// case are the same.
bool matches_pattern(std::string_view name, const std::string& pattern);

constexpr bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool matches_any(std::string_view name, const std::vector<std::string>& patterns);

}  // namespace prof::tables
