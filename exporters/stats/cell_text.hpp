// Cells as text.
#pragma once

#include <string>

#include "exporters/stats/table.hpp"

namespace prof::stats {

// For machines: rounded to the column's decimals; empty without a value. Always UTF-8 without zero
// bytes, which readers of the formats stumble over: what is not, becomes U+FFFD.
std::string plain_text(const Cell& cell, const ColumnSpec& column);

// For the eye: the same with numbers in groups of three digits.
std::string grouped_text(const Cell& cell, const ColumnSpec& column);

}  // namespace prof::stats
