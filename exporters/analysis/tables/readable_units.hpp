// Prints numbers with the unit that suits their size, for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "exporters/analysis/tables/table.hpp"

namespace prof::tables {

// What a column measures. The heading of the column tells it.
enum class Measure { kOther, kDuration, kMoment, kBytes, kBytesPerSecond };
Measure measure_of(const ColumnSpec& column);

// Returns a heading without its unit: "Total Time" for "Total Time (ns)".
std::string_view without_unit(std::string_view header);

// Returns a number with its unit: "12.3 ms", "0.452851 s" (a moment), "34.6 MB", "369 B/s". Returns
// nothing for kOther and for cells without a number.
std::optional<std::string> readable_text(const Cell& cell, Measure measure);

}  // namespace prof::tables
