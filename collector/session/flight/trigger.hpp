// A condition on which a flight recorder writes a report without a request: KIND:NAME:CONDITION, as
// the user writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace prof::session {

struct FlightTrigger {
  enum class Kind {
    kRange,      // an NVTX range takes long
    kRate,       // an NVTX range ends less often than it should
    kCuda,       // a CUDA call takes long
    kCudaError,  // a CUDA call fails
    kOsrt,       // an OS-runtime call takes long
    kGpuIdle,    // a GPU has no work
    kMetric,     // a sampled counter is too high or too low
  };
  std::string words{};  // as the user wrote it
  Kind kind = Kind::kRange;
  std::string name{};    // a pattern with * and ?
  std::uint64_t ns = 0;  // for durations: fires above this; 0: above `factor` times the quantile
  double factor = 0;     // factor of the quantile, or of the usual rate
  double quantile = 0;   // such as 0.99
  // For rates: per second; 0: `factor` times the usual rate. For counters: the value.
  double limit = 0;
  bool is_below = false;  // for counters: fires below the limit

  bool matches(std::string_view text) const;
};

// The maximum number of triggers.
inline constexpr std::size_t kMaxTriggers = 32;

base::Result<FlightTrigger> parse_trigger(const std::string& words);

// Parses a duration such as "500ms" into ns. Units: ns, us, ms, s, m, h. Returns false if it is not
// a duration.
bool parse_duration(std::string_view text, std::uint64_t& ns);

// Returns a text such as "812 ms", for messages.
std::string duration_text(double ns);

}  // namespace prof::session
