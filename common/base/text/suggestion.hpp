// "did you mean …?" for unknown words.
#pragma once

#include <string>
#include <vector>

namespace prof::base {

// Returns the known word nearest to `word`, or "" if no word is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

// Returns "; did you mean X?" or "".
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

}  // namespace prof::base
