// Strings in JSON.
#pragma once

#include <string>
#include <string_view>

namespace prof::formats {

// The text in quotes. Reports may contain bytes that are not UTF-8 (nsys's reports do). They are
// replaced, so that the document is valid.
std::string quoted_json(std::string_view text);

// Appends the text without quotes.
void append_json(std::string& out, std::string_view text);

}  // namespace prof::formats
