#include "exporters/analysis/tables/pattern.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace prof::tables {

bool matches_pattern(std::string_view name, const std::string& pattern) {
  const bool is_glob = pattern.find_first_of("*?[") != std::string::npos;
  const std::string glob = is_glob ? pattern : '*' + pattern + '*';
  // A backslash in a plain text stands for itself.
  const int flags = FNM_CASEFOLD | (is_glob ? 0 : FNM_NOESCAPE);
  return fnmatch(glob.c_str(), std::string(name).c_str(), flags) == 0;
}

bool matches_any(std::string_view name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches_pattern(name, pattern); });
}

}  // namespace prof::tables
