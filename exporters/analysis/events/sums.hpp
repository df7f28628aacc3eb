// Sums and products of numbers from a report. They may be arbitrarily large.
#pragma once

#include <cstdint>

namespace prof::events {

// Returns the sum, limited to the range of the type.
inline std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

// Returns the product, limited to the range of the type.
inline std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_mul_overflow(a, b, &result)) return result;
  return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

}  // namespace prof::events
