// Sums of what a file says: it may say anything.
#pragma once

#include <cstdint>

namespace prof::events {

// The nearest there is, where the sum is too large.
inline std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace prof::events
