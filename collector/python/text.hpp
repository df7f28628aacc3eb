// Converts Python's strings, which have one, two or four bytes per character, to UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace prof::python {

inline void append_utf8(std::string& text, std::uint32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto rest = [&](unsigned shift) { put(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      put(0xe0 | c >> 12);
    } else {
      put(0xf0 | c >> 18);
      rest(12);
    }
    rest(6);
  }
  rest(0);
}

// `width` is the number of bytes per character.
inline std::string to_utf8(std::span<const std::byte> data, std::uint32_t width) {
  std::string text;
  for (; data.size() >= width; data = data.subspan(width)) {
    std::uint32_t c = 0;
    std::memcpy(&c, data.data(), width);
    append_utf8(text, c);
  }
  return text;
}

}  // namespace prof::python
