// Makes texts fit for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace prof::tables {

std::size_t display_width(std::string_view text);  // in characters

// Cuts the text off after `most` characters and marks the cut with "…".
void shorten(std::string& text, std::size_t most);

// Escapes characters that are not printable (common/base/text/printable.hpp). The text becomes one
// line and cannot control the terminal.
void make_visible(std::string& text);

// Returns the text as valid UTF-8 on one line, without control characters, with at most `most`
// characters.
std::string one_line(std::string_view text, std::size_t most);

// Returns the text with line breaks at blanks, so that lines have at most `width` characters where
// that is possible. Lines after the first start with `indent`.
std::string wrap_lines(std::string text, std::size_t width, std::string_view indent);

// Joins the parts with `gap` to lines of at most `width` characters. A part is never divided. Lines
// after the first start with `indent`.
std::vector<std::string> fill_lines(const std::vector<std::string>& parts, std::string_view gap,
                                    std::size_t width, std::string_view indent);

}  // namespace prof::tables
