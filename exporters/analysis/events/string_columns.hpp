// The columns of a report that contain an id of StringIds.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace prof::events {

// The columns of all tables with an id of StringIds, each with a name for a column of its text.
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

// Returns the name for the text of a column with an id of StringIds, or an empty name for other
// columns.
constexpr std::string_view text_column(std::string_view column) {
  for (const auto& [id, text] : kStringColumns)
    if (column == id) return text;
  return {};
}

}  // namespace prof::events
