// Converts the times in a table to other units.
#pragma once

#include <optional>
#include <string_view>

#include "exporters/analysis/tables/table.hpp"

namespace prof::tables {

enum class TimeUnit { kNanoseconds, kMicroseconds, kMilliseconds, kSeconds };

// Finds a unit by its name: "ns", "nsec", "nanoseconds" and so on.
std::optional<TimeUnit> time_unit(std::string_view name);

// Converts all columns whose heading ends with "(ns)".
void convert_times(Table& table, TimeUnit unit);

}  // namespace prof::tables
