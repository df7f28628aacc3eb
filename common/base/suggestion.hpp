// "did you mean …?" for words that are not known.
#pragma once

#include <string>
#include <vector>

namespace prof::base {

// The known word nearest to `word`, or "" if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

// "; did you mean X?" or "".
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

}  // namespace prof::base
