// What nsys's exports say about the integers of a column: whether they rise, and whether all
// differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace prof::arrow {

enum class NumberOrder : std::uint8_t {
  kRepeats,  // some are equal
  kDiffers,  // all differ
  kRises     // each is greater than the one before it
};

// T: std::int32_t, std::uint32_t, std::int64_t, std::uint64_t. Needs memory for a copy of the
// numbers if they do not rise.
template <class T>
NumberOrder order_of(std::span<const T> numbers);

}  // namespace prof::arrow
