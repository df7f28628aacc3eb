// The verdict: what limits the speed of a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/analyze/findings/facts.hpp"

namespace prof::analyze {

enum class Bound : std::uint8_t {
  kCompute,
  kCommunication,
  kPeers,  // waiting for a late device, which may be idle itself
  kCopies,
  kApi,
  kGraphs,  // gaps between the nodes of a launch of a CUDA graph
  kSynchronization,
  kDataLoading,
  kCpu,
  kUnknown,
};
inline constexpr std::size_t kBounds = 10;
// Returns the bound to which an idle time belongs.
Bound bound_of(const Facts& facts, const insight::IdleTime& idle);

struct Verdict {
  std::string bound;     // "GPU compute bound"
  std::string sentence;  // with the shares of the time
  // What the time was spent on, and its share of the time, 0 to 1; the largest share first. Shares
  // below 0.0005 are left out.
  std::vector<std::pair<const char*, double>> shares = {};
};
Verdict verdict_of(const Facts& facts);

// Returns a name for the time that belongs to a bound: "idle (CPU work)".
const char* time_name(Bound bound);

}  // namespace prof::analyze
