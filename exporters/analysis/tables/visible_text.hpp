// Texts as a terminal shows them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prof::tables {

std::size_t display_width(std::string_view text);  // in characters

// Cuts the text off after `most` characters; "…" marks the cut.
void shorten(std::string& text, std::size_t most);

// Escapes what is not printable (common/base/text/printable.hpp): the text becomes one line, and
// a terminal does not obey it.
void make_visible(std::string& text);

// Valid UTF-8 on one line, without control characters, of at most `most` characters.
std::string one_line(std::string_view text, std::size_t most);

// The text with line breaks at blanks, so that lines have at most `width` characters where that is
// possible. Lines after the first start with `indent`.
std::string wrap_lines(std::string text, std::size_t width, std::string_view indent);

}  // namespace prof::tables
