#include "common/base/text/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/text/printable.hpp"
#include "common/base/utf8.hpp"

namespace prof::base {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

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

bool is_unescaped(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

std::uint32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  constexpr unsigned kFirstBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};  // by length
  std::uint32_t code = byte(0) & kFirstBits[character.size()];
  for (std::size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte(i) & 0x3fU);
  return code;
}

bool has_no_width(std::uint32_t code) {
  return code == 0xad || code == 0x34f || code == 0x180e || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code >= 0xe0000 && code <= 0xe0fff);
}

std::string escape_of(std::uint32_t code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", code);
  const std::uint32_t rest = code - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
}

}  // namespace

std::string visible_json(std::string_view document) {
  std::string visible;
  visible.reserve(document.size());
  while (!document.empty()) {
    const FirstCharacter first = first_character(document);
    document.remove_prefix(first.bytes.size());
    const bool is_ascii = static_cast<unsigned char>(first.bytes.front()) < 0x80;
    const std::uint32_t code = is_ascii ? 0 : code_point(first.bytes);
    if (is_ascii || (first.is_printable && !has_no_width(code)))
      visible += first.bytes;
    else
      visible += escape_of(code);
  }
  return visible;
}

void append_json(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_unescaped) - text.begin());
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      add_escaped(out, text.front());
      text.remove_prefix(1);
    } else {
      const Utf8Sequence next = utf8_sequence(text);
      out.append(next.is_character ? text.substr(0, next.bytes) : kReplacement);
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

std::string json_number(double number) {
  // std::to_chars needs tables that are 50 kB of a package.
  return std::isfinite(number) ? fmt::format("{}", number) : "null";
}

}  // namespace prof::base
