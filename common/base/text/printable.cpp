#include "common/base/text/printable.hpp"

#include <algorithm>

#include "common/base/utf8.hpp"

namespace prof::base {

namespace {

bool is_obeyed(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < ' ' || byte(0) == 0x7f;
  if (character.size() == 2) return (byte(0) == 0xc2 && byte(1) < 0xa0) || character == "\u061c";
  if (!character.starts_with('\xe2')) return false;
  return (character >= "\u200e" && character <= "\u200f") ||
         (character >= "\u2028" && character <= "\u202e") ||
         (character >= "\u2066" && character <= "\u2069");
}

template <class IsKept>
std::string replaced(std::string_view text, IsKept is_kept) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const FirstCharacter first = first_character(text);
    clean += first.is_printable || is_kept(first.bytes) ? first.bytes : "?";
    text.remove_prefix(first.bytes.size());
  }
  return clean;
}

}  // namespace

FirstCharacter first_character(std::string_view text) {
  const std::size_t length = utf8_length(text);
  const std::string_view bytes = text.substr(0, std::max<std::size_t>(length, 1));
  return {bytes, length != 0 && !is_obeyed(bytes)};
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const FirstCharacter first = first_character(text);
    if (!first.is_printable) return false;
    text.remove_prefix(first.bytes.size());
  }
  return true;
}

std::string printable(std::string_view text) {
  return replaced(text, [](std::string_view) { return false; });
}

std::string printable_lines(std::string_view text) {
  return replaced(text, [](std::string_view bytes) { return bytes == "\n" || bytes == "\t"; });
}

}  // namespace prof::base
