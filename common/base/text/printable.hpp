// Texts of programs and reports on a terminal, which obeys some characters. Everything that prof
// prints for people goes through one of these functions. JSON, CSV and other data keep their texts.
#pragma once

#include <string>
#include <string_view>

namespace prof::base {

struct FirstCharacter {
  std::string_view bytes;  // one byte if it is not UTF-8
  // False for control characters (U+0000 to U+001F, U+007F to U+009F), for those that change the
  // direction or the line of what follows (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to
  // U+2069), and for bytes that are not UTF-8.
  bool is_printable;
};
// Of a text that is not empty.
FirstCharacter first_character(std::string_view text);

bool is_printable(std::string_view text);

// The text with a question mark for each character that is not printable.
std::string printable(std::string_view text);
// The same, but keeps line breaks and tabs: for messages.
std::string printable_lines(std::string_view text);

}  // namespace prof::base
