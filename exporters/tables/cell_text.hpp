// Cells as text.
#pragma once

#include <string>

#include "exporters/tables/table.hpp"

namespace prof::tables {

// For machines: rounded to the column's decimals; nothing without a value. Always UTF-8 without
// zero bytes, which readers of the formats stumble over: what is not, becomes U+FFFD.
void add_plain_text(std::string& out, const Cell& cell, const ColumnSpec& column);

// For the eye: the same with numbers in groups of three digits.
void add_grouped_text(std::string& out, const Cell& cell, const ColumnSpec& column);

}  // namespace prof::tables
