// Finds what nsys's exports say about the integers of a column: whether they rise, and whether all
// differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace prof::arrow {

enum class NumberOrder : std::uint8_t {
  kRepeats,  // some numbers are equal
  kDiffers,  // all numbers differ
  kRises     // each number is greater than the previous one
};

// Returns the order of the numbers. T is std::int32_t, std::uint32_t, std::int64_t or
// std::uint64_t. Needs memory for a copy of the numbers if they do not rise.
template <class T>
NumberOrder order_of(std::span<const T> numbers);

}  // namespace prof::arrow
