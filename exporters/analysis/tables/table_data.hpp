// Writes tables for programs: CSV, TSV and JSON.
#pragma once

#include "exporters/analysis/tables/table.hpp"
#include "exporters/analysis/tables/text_sink.hpp"

namespace prof::tables {

void add_separated(TextSink& out, const Table& table, char separator);  // a comma or a tab
void add_json(TextSink& out, const Table& table);                       // a list of objects

}  // namespace prof::tables
