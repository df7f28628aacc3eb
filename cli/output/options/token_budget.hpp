// The unit of --budget: tokens of a language model, as far as bytes can tell.
#pragma once

#include <cstddef>

namespace prof::cli {

inline constexpr std::size_t kTokenBytes = 4;
inline constexpr std::size_t kMaxTokens = 10'000'000;

}  // namespace prof::cli
