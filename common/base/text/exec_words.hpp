#pragma once

#include <string>
#include <vector>

namespace prof::base {

// Returns the texts as the exec and posix_spawn functions take them, with a null pointer at the
// end. The pointers are valid as long as the texts.
inline std::vector<char*> exec_words(const std::vector<std::string>& texts) {
  std::vector<char*> words;
  words.reserve(texts.size() + 1);
  for (const std::string& text : texts) words.push_back(const_cast<char*>(text.c_str()));
  words.push_back(nullptr);
  return words;
}

}  // namespace prof::base
