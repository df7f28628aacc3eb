// Parses the arguments of a rule. They follow its name after colons, as in
// gpu_gaps:gap=100:rows=-1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace prof::analyze {

struct Arguments {
  std::int64_t rows = 50;       // maximum number of rows; 0 or less: no limit
  std::int64_t gap = 500;       // ms; only longer idle times are reported
  std::int64_t threshold = 50;  // percent; only times of lower utilization are reported
  std::int64_t chunks = 30;     // number of parts that the time is divided into
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
                                   "maximum number of rows to print (0 or -1: all)"};
inline constexpr Argument kGap = {"gap", &Arguments::gap, 0, 1000 * kMillion,
                                  "leave out idle times of up to this many ms"};
inline constexpr Argument kThreshold = {
    "threshold", &Arguments::threshold, 0, kMillion,
    "leave out times in which the GPU is busy for this many percent or more"};
inline constexpr Argument kChunks = {"chunks", &Arguments::chunks, 1, kMillion,
                                     "number of parts that the time is divided into"};

// Parses the words after the rule's name, such as "rows=-1:gap=100". The words may be empty.
base::Result<Arguments> parse_arguments(std::string_view words, std::span<const Argument> allowed);

}  // namespace prof::analyze
