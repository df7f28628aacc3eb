// Makes texts of programs and reports safe for a terminal, which obeys control characters.
// Everything that prof prints for people goes through one of these functions. JSON, CSV and other
// data keep their texts.
#pragma once

#include <string>
#include <string_view>

namespace prof::base {

struct FirstCharacter {
  std::string_view bytes;  // one byte if it is not UTF-8
  // False for control characters (U+0000 to U+001F, U+007F to U+009F), for characters that change
  // the direction or the line of the following text (U+061C, U+200E, U+200F, U+2028 to U+202E,
  // U+2066 to U+2069), and for bytes that are not UTF-8.
  bool is_printable;
};
// Returns the first character of a text that is not empty.
FirstCharacter first_character(std::string_view text);

bool is_printable(std::string_view text);

// Returns the text with a question mark in place of each character that is not printable.
std::string printable(std::string_view text);
// Like printable(), but keeps line breaks and tabs. For messages.
std::string printable_lines(std::string_view text);

}  // namespace prof::base
