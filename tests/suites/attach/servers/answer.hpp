// What the servers of the suite answer to a number: FNV-1a of its bytes, without the sign.
#pragma once

#include <cstdint>

inline std::uint64_t answer_to(std::uint64_t number) {
  std::uint64_t value = 1469598103934665603u;
  for (int i = 0; i < 8; ++i) {
    value ^= number >> (8 * i) & 255;
    value *= 1099511628211u;
  }
  return value & 0x7fffffffffffffff;
}
