// Writes strings in JSON.
#pragma once

#include <string>
#include <string_view>

namespace prof::formats {

// Returns the text in quotes. Invalid UTF-8, which nsys's reports may contain, is replaced, so that
// the document is valid.
std::string quoted_json(std::string_view text);

// Appends the text without quotes.
void append_json(std::string& out, std::string_view text);

}  // namespace prof::formats
