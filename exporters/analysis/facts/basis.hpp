// How a number came about.
#pragma once

#include <cstdint>

namespace prof::facts {

enum class Basis : std::uint8_t {
  kMeasured,   // a query on the report's tables gives it
  kDerived,    // computed of events
  kSampled,    // counted in samples
  kEstimated,  // computed with limits and rates of the hardware, or with a model
};
const char* name_of(Basis basis);

}  // namespace prof::facts
