// JSON that is written as a text. A JSON object of the same takes ten times as long.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "collector/base/utf8.hpp"

namespace prof::spool {

// A character that JSON has as it is.
inline bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

inline std::string json_string(const std::string& text) {
  if (std::all_of(text.begin(), text.end(), is_plain)) return '"' + text + '"';
  using nlohmann::json;
  return json(base::is_utf8(text) ? text : base::escaped_to_utf8(text))
      .dump(-1, ' ', false, json::error_handler_t::replace);
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
