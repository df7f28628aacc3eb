// Texts of JSON.
#pragma once

#include <string>
#include <string_view>

namespace prof::formats {

// In quotes. Reports may hold bytes that are not UTF-8 (nsys's own do): replaced, the document
// stays valid.
std::string quoted_json(std::string_view text);

}  // namespace prof::formats
