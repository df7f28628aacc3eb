// Turns cells into text.
#pragma once

#include <string>

#include "exporters/analysis/tables/table.hpp"

namespace prof::tables {

// Appends the text for programs: numbers are rounded to the column's decimals, and a cell without a
// value is empty. The text is always valid UTF-8 without zero bytes, because readers of the formats
// fail on those. Invalid bytes become U+FFFD.
void add_plain_text(std::string& out, const Cell& cell, const ColumnSpec& column);

// Appends the text for people: the same text, with the digits of numbers in groups of three.
void add_grouped_text(std::string& out, const Cell& cell, const ColumnSpec& column);

}  // namespace prof::tables
