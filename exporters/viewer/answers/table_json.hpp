// Writes tables and lists of results in JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/viewer/answers/outcome.hpp"

namespace prof::view {

// Adds "columns": [{"header", "kind", "decimals"}], "rows": [[…]] and "more", the number of rows
// beyond `most`, which are left out. Numbers are not rounded.
void add_table(Json& json, const tables::Table& table, std::size_t most);

// Adds NAME: [TEXT].
void add_texts(Json& json, std::string_view name, const std::vector<std::string>& texts);

}  // namespace prof::view
