// Says in one line what limits a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "exporters/analysis/insight/profiles/metric_rules.hpp"

namespace prof::insight {

enum class KernelLimit : std::uint8_t {
  kUnknown,    // the metrics were not measured
  kSmallGrid,  // less than a wave, and nothing is near its peak
  kLatency,    // nothing is near its peak
  kCompute,
  kMemory,
  kBalanced,  // compute and memory are equally busy
};

struct KernelVerdict {
  KernelLimit limit = KernelLimit::kUnknown;
  // A unit is so near to its peak that only less work makes the kernel faster.
  bool is_at_limit = false;
  std::optional<double> compute;  // percent of the peak
  std::optional<double> memory;
  const char* unit = "";  // the busiest part of the memory: "DRAM", "L2", "L1"; or empty
  std::string text;       // "memory: DRAM at 78 % of its peak, compute at 5 %"
};

KernelVerdict verdict_of(const ProfiledKernel& kernel);

}  // namespace prof::insight
