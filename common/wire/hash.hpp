// The 64-bit content hash that stands for a string on the wire. The injection library computes the
// hash for events, the collector for its own texts. The hash is never 0, because 0 means "no
// string".
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace prof::wire {

namespace detail {
constexpr std::uint64_t kMix1 = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, odd
constexpr std::uint64_t kMix2 = 0xd6e8feb86659fd93;

// Folds the 128-bit product: every input bit reaches every output bit.
constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t load(const char* text, std::size_t bytes) {
  std::uint64_t word = 0;
  if (!__builtin_is_constant_evaluated() && bytes == 8) {
    std::memcpy(&word, text, 8);
    return word;
  }
  for (std::size_t i = 0; i < bytes; ++i)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  return word;
}
}  // namespace detail

constexpr std::uint64_t hash_text(const char* text, std::size_t length) {
  std::uint64_t state = detail::kMix1 ^ length;
  std::size_t i = 0;
  for (; i + 8 <= length; i += 8)
    state = detail::fold(state ^ detail::load(text + i, 8), detail::kMix2);
  if (i < length) {
    const std::size_t rest = length - i;
    // The last word overlaps the previous word, if there is one. The length in the seed
    // distinguishes texts that would otherwise have the same words.
    const std::uint64_t word =
        length >= 8 ? detail::load(text + length - 8, 8) : detail::load(text + i, rest);
    state = detail::fold(state ^ word, detail::kMix1);
  }
  state = detail::fold(state, detail::kMix2 ^ length);
  return state == 0 ? 1 : state;
}

}  // namespace prof::wire
