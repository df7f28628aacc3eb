#include "common/base/text/shell_word.hpp"

#include <algorithm>

namespace prof::base {

namespace {

// True for characters without a meaning in a shell. The bytes of characters beyond ASCII have none,
// either.
bool is_plain(char c) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:=@%,";
  return kPlain.find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string shell_word(std::string_view path) {
  std::string text(path);
  if (text.starts_with('-')) text.insert(0, "./");  // so that it is not an option
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + '\'';
}

}  // namespace prof::base
