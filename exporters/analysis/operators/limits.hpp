// How fast an operator could be: the roofline of its GPU.
#pragma once

#include <cstdint>
#include <optional>

#include "exporters/analysis/operators/peaks.hpp"
#include "exporters/analysis/operators/work/work.hpp"

namespace prof::operators {

enum class Bound : std::uint8_t {
  kCompute,
  kMemory,
  kNeither,  // at less than half of both: of launches, of latency, or of a bad kernel
};
const char* name_of(Bound bound);  // "compute", …

// Times in ns.
struct Limit {
  double compute;  // the least time for the operations
  double memory;   // the least time for the traffic
  double least() const { return compute > memory ? compute : memory; }
};

// Returns the limit of one call, or nothing if its work, its type or the GPU is unknown. Tensor
// cores and ordinary cores may work at the same time.
std::optional<Limit> limit_of(const Work& work, ElementType type, const Peaks* peaks);

// Returns which limit an operator is near that took `time` ns.
Bound bound_of(const Limit& limit, double time);

}  // namespace prof::operators
