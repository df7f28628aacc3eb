// The first part of a stored row, with the types of its values. The rows of a table usually have
// only a few different headers, so the result of decoding one row's header is used again for other
// rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/report/pages/page_cursor.hpp"

namespace prof::report {

struct RowHeader {
  static constexpr std::size_t kMostBytes = 64;
  std::array<std::uint64_t, kMostBytes / 8> words;  // unused words have no value
  std::size_t size = 0;                             // bytes; 0: no header
  std::uint64_t hash = 0;

  // Reads the header of the row. Returns false if it is longer, or missing.
  bool read(const StoredRow& row) {
    if (row.size == 0) return false;
    size = row.data[0];  // a larger size is a longer number
    if (size == 0 || size > kMostBytes || size > row.size) return false;
    hash = 0;
    for (std::size_t i = 0; i < words_of(size); ++i) {
      words[i] = word(row, i);
      constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
      hash = (hash ^ words[i]) * kOdd;
    }
    return true;
  }

  // True if the row has this header.
  bool is_of(const StoredRow& row) const {
    if (row.size < size || row.data[0] != size) return false;
    std::uint64_t different = 0;
    for (std::size_t i = 0; i < words_of(size); ++i) different |= word(row, i) ^ words[i];
    return different == 0;
  }

  bool operator==(const RowHeader& other) const {
    std::uint64_t different = size ^ other.size;
    for (std::size_t i = 0; i < words_of(size); ++i) different |= words[i] ^ other.words[i];
    return different == 0;
  }

 private:
  static std::size_t words_of(std::size_t bytes) { return (bytes + 7) / 8; }
  std::uint64_t word(const StoredRow& row, std::size_t index) const {
    std::uint64_t word = 0;
    std::memcpy(&word, row.data + 8 * index, 8);  // the row's padding covers the last word
    const std::size_t end = 8 * (index + 1);
    return end <= size ? word : word & (~std::uint64_t{0} >> 8 * (end - size));
  }
};

}  // namespace prof::report
