// What may follow a rule's name after a colon: gpu_gaps:gap=100:rows=-1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "collector/base/result.hpp"

namespace prof::analyze {

struct Arguments {
  std::int64_t rows = 50;       // to print at most; 0 or less: all
  std::int64_t gap = 500;       // shortest idle time to report, in ms
  std::int64_t threshold = 50;  // utilization below which a time is reported, in percent
  std::int64_t chunks = 30;     // into which the time is divided
};

struct Argument {
  const char* name;
  std::int64_t Arguments::*value;
  std::int64_t least;
  std::int64_t most;
  const char* help;
};

inline constexpr std::int64_t kMillion = 1'000'000;
inline constexpr Argument kRows = {"rows", &Arguments::rows, -1, 1000 * kMillion,
                                   "rows to print at most; 0 or -1: all"};
inline constexpr Argument kGap = {"gap", &Arguments::gap, 0, 1000 * kMillion,
                                  "idle times up to so many ms are left out"};
inline constexpr Argument kThreshold = {"threshold", &Arguments::threshold, 0, kMillion,
                                        "times used so many percent or more are left out"};
inline constexpr Argument kChunks = {"chunks", &Arguments::chunks, 1, kMillion,
                                     "parts into which the time is divided"};

// Takes "rows=-1:gap=100", or nothing.
base::Result<Arguments> parse_arguments(std::string_view words, std::span<const Argument> allowed);

}  // namespace prof::analyze
