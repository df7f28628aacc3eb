// Other units than nanoseconds for the times of a table.
#pragma once

#include <optional>
#include <string_view>

#include "exporters/tables/table.hpp"

namespace prof::tables {

enum class TimeUnit { kNanoseconds, kMicroseconds, kMilliseconds, kSeconds };

// "ns", "nsec" or "nanoseconds", and so on; null for an unknown one.
std::optional<TimeUnit> time_unit(std::string_view name);

// Converts the columns whose headings end with "(ns)".
void convert_times(Table& table, TimeUnit unit);

}  // namespace prof::tables
