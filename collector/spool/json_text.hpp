// Writes JSON as a text, ten times as fast as with a JSON object.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/base/utf8.hpp"

namespace prof::spool {

// True for a character that JSON does not escape.
inline bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

inline std::string json_string(const std::string& text) {
  if (std::all_of(text.begin(), text.end(), is_plain)) return '"' + text + '"';
  using nlohmann::json;
  return json(base::is_utf8(text) ? text : base::escaped_to_utf8(text))
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

// Returns the text with a question mark for each byte that JSON does not allow.
inline std::string without_forbidden_bytes(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    const bool is_allowed =
        length > 1 || (length == 1 && static_cast<unsigned char>(text[0]) >= ' ');
    result += is_allowed ? text.substr(0, length) : "?";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

template <class Items, class TextOf>
std::string json_array(const Items& items, TextOf text_of_item) {
  std::string array = "[";
  for (const auto& item : items) {
    if (array.size() > 1) array += ',';
    array += text_of_item(item);
  }
  return array + ']';
}

}  // namespace prof::spool
