#include "exporters/analysis/events/numbered_names.hpp"

#include <algorithm>

namespace prof::events {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Bytes of other alphabets count as letters.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) & 0x80);
}

// Returns the length of the number that `text` starts with: digits, with dots between digits.
std::size_t number_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() &&
         (is_digit(text[length]) ||
          (text[length] == '.' && length + 1 < text.size() && is_digit(text[length + 1]))))
    ++length;
  return length;
}

}  // namespace

std::string without_numbers(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const std::size_t length = is_digit(name[0]) ? number_length(name) : 0;
    const bool ends_word = length == name.size() || !is_letter(name[length]);
    if (length > 0 && ends_word)
      result += '#';
    else
      result += name.substr(0, std::max<std::size_t>(length, 1));
    name.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::int32_t NumberedNames::group(std::string_view name) {
  std::string key = without_numbers(name);
  const auto [at, is_new] =
      groups_.try_emplace(std::move(key), static_cast<std::int32_t>(texts_.size()));
  if (is_new)
    texts_.emplace_back(name);
  else if (std::string& text = texts_[static_cast<std::size_t>(at->second)]; text != name)
    text = at->first;
  return at->second;
}

}  // namespace prof::events
