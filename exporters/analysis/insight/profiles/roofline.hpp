// The roofline of a kernel: what it computes, what it moves, and what the GPU could do.
#pragma once

#include <optional>
#include <vector>

#include "exporters/analysis/insight/profiles/metric_values.hpp"

namespace prof::insight {

// Arithmetic of one precision. Rates are operations in a second.
struct ComputeRoof {
  const char* precision;  // "FP32", "FP16 tensor", …
  double achieved = 0;
  double peak = 0;  // 0: not measured
};

// A level of memory. Rates are bytes in a second.
struct MemoryRoof {
  const char* level;  // "DRAM", "L2", "L1"
  double achieved = 0;
  std::optional<double> peak = {};
};

struct Roofline {
  std::vector<ComputeRoof> compute;  // precisions that were measured, also without operations
  std::vector<MemoryRoof> memory;    // levels that were measured
};

Roofline roofline_of(const MetricValues& metrics);

// Operations for each byte; empty if the kernel moves none.
std::optional<double> intensity(const ComputeRoof& compute, const MemoryRoof& memory);

// The rate that the memory and the arithmetic allow at this intensity.
std::optional<double> attainable(const ComputeRoof& compute, const MemoryRoof& memory);

}  // namespace prof::insight
