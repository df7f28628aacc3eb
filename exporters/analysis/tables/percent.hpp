// Shares as percentages.
#pragma once

#include <cstdint>

namespace prof::tables {

// Returns part / whole in percent, or 0 if the whole is 0.
constexpr double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace prof::tables
