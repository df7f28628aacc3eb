// Writes tables of results in JSON.
#pragma once

#include "exporters/analysis/tables/table.hpp"
#include "exporters/viewer/answers/outcome.hpp"

namespace prof::view {

// Adds "columns": [{"header", "kind", "decimals"}], "rows": [[…]] and "more", the number of rows
// beyond `most`, which are left out. Numbers are not rounded.
void add_table(Json& json, const tables::Table& table, std::size_t most);

}  // namespace prof::view
