// Writes tables for the terminal: aligned columns, with or without lines between them.
#pragma once

#include "exporters/analysis/tables/table.hpp"
#include "exporters/analysis/tables/text_sink.hpp"

namespace prof::tables {

void add_column_layout(TextSink& out, const Table& table);  // --format column
void add_table_layout(TextSink& out, const Table& table);   // --format table

}  // namespace prof::tables
