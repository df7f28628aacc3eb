// What makes a flight recorder write a report by itself: KIND:NAME:CONDITION, as the user writes
// it.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"

namespace prof::session {

struct FlightTrigger {
  enum class Kind {
    kRange,      // an NVTX range that takes long
    kRate,       // an NVTX range that ends less often than it should
    kCuda,       // a CUDA call that takes long
    kCudaError,  // a CUDA call that fails
    kOsrt,       // an OS-runtime call that takes long
    kGpuIdle,    // a GPU without work
    kMetric,     // a sampled counter
  };
  std::string words{};  // as the user wrote it
  Kind kind = Kind::kRange;
  std::string name{};     // a pattern with * and ?
  std::uint64_t ns = 0;   // durations: longer than this; 0: `factor` times the quantile
  double factor = 0;      // of the quantile, or of the usual rate
  double quantile = 0;    // 0.99
  double limit = 0;       // rates: per second; 0: `factor` times the usual one. Counters: value
  bool is_below = false;  // counters: fires below the limit

  bool matches(std::string_view text) const;
};

// There may be this many.
inline constexpr std::size_t kMostTriggers = 32;

base::Result<FlightTrigger> parse_trigger(const std::string& words);

// "500ms": ns. Units: ns, us, ms, s, m, h. Nothing if it is not a duration.
bool parse_duration(std::string_view text, std::uint64_t& ns);

// For messages: "812 ms".
std::string duration_text(double ns);

}  // namespace prof::session
