// Patterns of --nvtx-include and --nvtx-exclude: which push/pop ranges are open around a launch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::cuda::kernels {

// All zeros at first.
struct RangePattern {
  static constexpr std::size_t kMostParts = 16;
  enum class Kind : std::uint8_t {
    kName,
    kOne,  // any range
    kAny,  // any number of ranges
  };
  struct Part {
    Kind kind;
    std::uint64_t text;  // string hash
  };

  std::uint64_t domain;  // string hash of its name; 0: the default domain
  bool is_at_bottom;     // the first part is the outermost range
  bool is_at_top;        // the last part is the innermost range
  std::size_t num_parts;
  Part parts[kMostParts];
};

// Parses "DOMAIN\tPLACE\tPART\tPART…", as range_line() of cli/options/metrics/range_expression.hpp
// writes it. Returns false if there are too many parts.
bool parse_pattern(const char* text, RangePattern& pattern);

// Do open ranges of the pattern's domain match? `ranges`: string hashes, the outermost one first.
bool matches(const RangePattern& pattern, const std::uint64_t* ranges, std::size_t count);

}  // namespace prof::cuda::kernels
