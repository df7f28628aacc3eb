#include "exporters/analysis/operators/limits.hpp"

#include <algorithm>

namespace prof::operators {

namespace {

constexpr double kNsPerSecond = 1e9;

// Returns the time for an amount, or nothing if it is unknown how long it takes.
std::optional<double> time_for(std::optional<std::int64_t> amount, double rate) {
  if (!amount) return std::nullopt;
  if (*amount == 0) return 0;
  if (rate <= 0) return std::nullopt;
  return static_cast<double>(*amount) / rate * kNsPerSecond;
}

}  // namespace

const char* name_of(Bound bound) {
  switch (bound) {
    case Bound::kCompute:
      return "compute";
    case Bound::kMemory:
      return "memory";
    case Bound::kNeither:
      break;
  }
  return "neither";
}

std::optional<Limit> limit_of(const Work& work, ElementType type, const Peaks* peaks) {
  if (peaks == nullptr || !work.matrix_flops || !work.vector_flops) return std::nullopt;
  const auto matrix = time_for(work.matrix_flops, peaks->matrix_of(type));
  const auto vector = time_for(work.vector_flops, peaks->vector_of(type));
  const auto memory = time_for(work.bytes(type), peaks->memory);
  if (!matrix || !vector || !memory) return std::nullopt;
  const Limit limit{std::max(*matrix, *vector), *memory};
  if (limit.least() <= 0) return std::nullopt;
  return limit;
}

Bound bound_of(const Limit& limit, double time) {
  if (2 * limit.least() < time) return Bound::kNeither;
  return limit.compute >= limit.memory ? Bound::kCompute : Bound::kMemory;
}

}  // namespace prof::operators
