// What bounds a program, and which idle times speak for it.
#pragma once

#include "exporters/analyze/findings/facts.hpp"

namespace prof::analyze {

enum class Bound : std::uint8_t {
  kCompute,
  kCommunication,
  kCopies,
  kApi,
  kSynchronization,
  kDataLoading,
  kCpu,
  kUnknown,
};
inline constexpr std::size_t kBounds = 8;
const char* name_of(Bound bound);  // "GPU compute bound"

Bound bound_of(const Facts& facts, const insight::IdleTime& idle);

}  // namespace prof::analyze
