// Serial types of SQLite's file format: they define how a row stores a value. 0: NULL. 1 to 6:
// integers of 1, 2, 3, 4, 6 and 8 bytes. 7: a real number. 8, 9: the numbers 0 and 1. From 12 on:
// bytes and texts.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace prof::report::serial {

inline constexpr std::uint64_t kNull = 0;
inline constexpr std::uint64_t kReal = 7;
inline constexpr std::uint64_t kZero = 8;
inline constexpr std::uint64_t kOne = 9;
inline constexpr std::uint64_t kFirstBytes = 12;
inline constexpr std::array<std::uint8_t, kFirstBytes> kSizes{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};

constexpr std::size_t size_of(std::uint64_t type) {
  return type < kFirstBytes ? kSizes[type] : (type - kFirstBytes) / 2;
}

constexpr bool is_integer(std::uint64_t type) {
  return type <= kOne && type != kNull && type != kReal;
}

// Reads 8 bytes. Rows have padding, so that 8 bytes can be read everywhere.
inline std::uint64_t first_bytes(const std::uint8_t* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  static_assert(std::endian::native == std::endian::little);
  return __builtin_bswap64(word);
}

// Returns by how many bits the 8 bytes at an integer are shifted to get the integer. Not defined
// for the types of 0 and 1.
constexpr std::uint8_t shift_of(std::uint64_t type) {
  return static_cast<std::uint8_t>(64 - 8 * size_of(type));
}

inline std::int64_t integer_at(const std::uint8_t* at, std::uint8_t shift) {
  return static_cast<std::int64_t>(first_bytes(at)) >> shift;
}

inline std::int64_t integer_of(const std::uint8_t* at, std::uint64_t type) {
  if (type >= kZero) return type == kOne ? 1 : 0;
  return integer_at(at, shift_of(type));
}

}  // namespace prof::report::serial
