#include "exporters/formats/json_text.hpp"

#include <algorithm>

namespace prof::formats {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

struct Sequence {
  std::size_t bytes;
  bool is_valid;
};

struct SecondByte {
  unsigned char least, most;
};

// Returns the bytes that can follow the first byte of a sequence of three or four bytes (Unicode,
// table 3-7).
SecondByte second_byte(unsigned char first) {
  switch (first) {
    case 0xe0:
      return {0xa0, 0xbf};
    case 0xed:
      return {0x80, 0x9f};
    case 0xf0:
      return {0x90, 0xbf};
    case 0xf4:
      return {0x80, 0x8f};
    default:
      return {0x80, 0xbf};
  }
}

std::size_t length_of(unsigned char first) {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 1;
}

// Returns the bytes of the character, not ASCII, that begins the text. If it is not valid, returns
// as many bytes as could begin a valid character.
Sequence sequence_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = length_of(first);
  for (std::size_t i = 1; i < length; ++i) {
    const SecondByte fits = i == 1 ? second_byte(first) : SecondByte{0x80, 0xbf};
    const auto byte = static_cast<unsigned char>(i < text.size() ? text[i] : 0);
    if (byte < fits.least || byte > fits.most) return {i, false};
  }
  return {length, length > 1};
}

void add_escaped(std::string& out, char c) {
  constexpr std::string_view kNamed = "\b\t\n\f\r\"\\";
  constexpr std::string_view kNames = "btnfr\"\\";
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '\\';
  if (const std::size_t at = kNamed.find(c); at != std::string_view::npos) {
    out += kNames[at];
  } else {
    out += c < 0x10 ? "u000" : "u001";
    out += kDigits[static_cast<std::size_t>(c) & 0xf];
  }
}

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      add_escaped(out, text.front());
      text.remove_prefix(1);
    } else {
      const Sequence next = sequence_at(text);
      out.append(next.is_valid ? text.substr(0, next.bytes) : kReplacement);
      text.remove_prefix(next.bytes);
    }
  }
}

std::string quoted_json(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  out += '"';
  append_json(out, text);
  return out += '"';
}

}  // namespace prof::formats
