// Writes tables for programs: CSV, TSV and JSON.
#pragma once

#include "common/base/text/json.hpp"
#include "exporters/analysis/tables/table.hpp"
#include "exporters/analysis/tables/text_sink.hpp"

namespace prof::tables {

void add_separated(TextSink& out, const Table& table, char separator);  // a comma or a tab
void add_json(TextSink& out, const Table& table);                       // a list of objects
// Adds a cell as a number, a text or null, whatever its column's format is.
void add_value(base::Json& json, const Cell& cell);

}  // namespace prof::tables
