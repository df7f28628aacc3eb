#include "common/base/text/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

}  // namespace

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
