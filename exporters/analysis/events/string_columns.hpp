// The columns of a report that contain an id of StringIds.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace prof::events {

// The columns with an id of StringIds, in all tables, and a name for their text.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kStringColumns{{
    {"nameId", "name"},
    {"textId", "text"},
    {"jsonTextId", "jsonText"},
    {"filenameId", "filename"},
    {"contentId", "content"},
    {"demangledName", "demangledNameText"},
    {"shortName", "shortNameText"},
    {"mangledName", "mangledNameText"},
    {"symbol", "symbolText"},
    {"module", "moduleText"},
    {"buildId", "buildIdText"},
    {"srcFile", "srcFileText"},
}};

// The name for the text of a column with an id of StringIds; empty for other columns.
constexpr std::string_view text_column(std::string_view column) {
  for (const auto& [id, text] : kStringColumns)
    if (column == id) return text;
  return {};
}

}  // namespace prof::events
