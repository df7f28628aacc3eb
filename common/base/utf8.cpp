#include "common/base/utf8.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>

namespace prof::base {

namespace {

void skip_ascii(std::string_view& text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::uint64_t word;
  while (text.size() >= sizeof word) {
    std::memcpy(&word, text.data(), sizeof word);
    if ((word & kHighBits) != 0) return;
    text.remove_prefix(sizeof word);
  }
}

void append_byte(std::string& out, char value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(value);
  out += "\\x";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

}  // namespace

Utf8Sequence utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {1, true};
  if (first < 0xc2 || first > 0xf4) return {1, false};
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  // Rejects encodings that are longer than needed, surrogates, and values above U+10FFFF.
  const unsigned second = text.size() > 1 ? byte(1) : 0;
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
    return {1, false};
  for (std::size_t i = 1; i < length; ++i)
    if (i == text.size() || !continues_character(text[i])) return {i, false};
  return {length, true};
}

bool is_utf8(std::string_view text) {
  for (skip_ascii(text); !text.empty(); skip_ascii(text)) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string escaped_to_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = text.starts_with("\\x") ? 0 : utf8_length(text);
    if (length == 0)
      append_byte(out, text[0]);
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string unescaped_from_utf8(std::string_view text) {
  constexpr std::string_view kMark = "\\x";
  std::string out;
  while (!text.empty()) {
    unsigned byte = 0;
    const char* digits = text.data() + kMark.size();
    if (text.size() >= 4 && text.starts_with(kMark) &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      text.remove_prefix(4);
    } else {
      out += text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace prof::base
