// The verdict: what limits the speed of a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "exporters/analysis/analyze/findings/facts.hpp"

namespace prof::analyze {

enum class Bound : std::uint8_t {
  kCompute,
  kCommunication,
  kPeers,  // waiting for a late device, which may be idle itself
  kCopies,
  kApi,
  kSynchronization,
  kDataLoading,
  kCpu,
  kUnknown,
};
inline constexpr std::size_t kBounds = 9;
// The bound that an idle time counts for.
Bound bound_of(const Facts& facts, const insight::IdleTime& idle);

struct Verdict {
  std::string bound;     // "GPU compute bound"
  std::string sentence;  // with the shares of the time
};
Verdict verdict_of(const Facts& facts);

// Describes the time that counts for a bound: "idle (CPU work)".
const char* time_name(Bound bound);

}  // namespace prof::analyze
