// Checks and escapes texts. Texts of programs are arbitrary bytes. Readers of reports (Python,
// pandas, DuckDB) accept only UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prof::base {

struct Utf8Sequence {
  std::size_t bytes;
  bool is_character;
};
// Returns the character at the start of the text or, if the bytes are not UTF-8, as many of them as
// could begin one.
Utf8Sequence utf8_sequence(std::string_view text);

// Returns the length in bytes of the character at the start of the text; 0 if the bytes are not
// UTF-8.
inline std::size_t utf8_length(std::string_view text) {
  const Utf8Sequence next = utf8_sequence(text);
  return next.is_character ? next.bytes : 0;
}

bool is_utf8(std::string_view text);

// True if the byte continues a character of several bytes.
inline bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// Returns the text with \xNN for each byte that is not part of a UTF-8 character, and \x5c for a
// backslash before an x. So different texts stay different, and readers can restore the bytes.
std::string escaped_to_utf8(std::string_view text);
// Restores the bytes of a text that escaped_to_utf8() returned.
std::string unescaped_from_utf8(std::string_view text);

}  // namespace prof::base
