// Non-negative numbers that may be unknown. A result that does not fit into 64 bits is unknown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "exporters/analysis/operators/names/range_text.hpp"

namespace prof::operators {

class Amount {
 public:
  Amount(std::int64_t value) : value_(value < 0 ? std::nullopt : std::optional(value)) {}
  static Amount unknown() { return {-1}; }

  std::optional<std::int64_t> value() const { return value_; }

  friend Amount operator+(const Amount& a, const Amount& b) {
    std::int64_t result = 0;
    if (!a.value_ || !b.value_ || __builtin_add_overflow(*a.value_, *b.value_, &result))
      return unknown();
    return {result};
  }
  friend Amount operator*(const Amount& a, const Amount& b) {
    std::int64_t result = 0;
    if (!a.value_ || !b.value_ || __builtin_mul_overflow(*a.value_, *b.value_, &result))
      return unknown();
    return {result};
  }

 private:
  std::optional<std::int64_t> value_;
};

// Returns the product of the sizes from the dimension `first` on; 1 if there are none.
inline Amount product_of(const Shape& shape, std::size_t first = 0) {
  Amount result = 1;
  for (std::size_t i = first; i < shape.size(); ++i) result = result * shape[i];
  return result;
}

// Returns the number of elements of an argument. An empty shape, which an argument that is not a
// tensor has, has none.
inline Amount elements_of(const Shape& shape) {
  return shape.empty() ? Amount(0) : product_of(shape);
}

}  // namespace prof::operators
