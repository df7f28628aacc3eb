// The columns of a report that contain a time.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace prof::events {

// The names of time columns in all tables. Their values are ns from the session's start.
inline constexpr std::array<std::string_view, 7> kTimeColumns{
    "start", "end", "timestamp", "startedAt", "endedAt", "openedAt", "closedAt"};

constexpr bool is_time_column(std::string_view column) {
  return std::find(kTimeColumns.begin(), kTimeColumns.end(), column) != kTimeColumns.end();
}

}  // namespace prof::events
