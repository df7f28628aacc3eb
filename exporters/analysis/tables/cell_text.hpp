// Turns cells into text.
#pragma once

#include <string>

#include "exporters/analysis/tables/table.hpp"

namespace prof::tables {

// For programs: rounded to the column's decimals; nothing for a cell without a value. The text is
// always valid UTF-8 without zero bytes, because readers of the formats fail on those: invalid
// bytes become U+FFFD.
void add_plain_text(std::string& out, const Cell& cell, const ColumnSpec& column);

// For people: the same, with the digits of numbers in groups of three.
void add_grouped_text(std::string& out, const Cell& cell, const ColumnSpec& column);

}  // namespace prof::tables
