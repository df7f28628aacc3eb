// What prof kernel wants to know about which launches: the file wire::kKernelPlanName.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/wire/kernel_records.hpp"
#include "injection/cuda/kernels/selection/range_pattern.hpp"

namespace prof::cuda::kernels {

// A text or a regular expression that names are compared with.
struct Pattern {
  const char* text = nullptr;  // null: every name matches
  bool is_regex = false;
  void* compiled = nullptr;
};

enum class FilterMode : std::uint8_t { kGlobal, kPerGpu, kPerLaunchConfig };

inline constexpr std::uint32_t kAnyId = 0xffffffff;
inline constexpr std::size_t kMaxMetrics = 1024;
inline constexpr std::size_t kMaxSassMetrics = 64;
inline constexpr std::size_t kMaxPatterns = 16;

struct RangePatterns {
  RangePattern items[kMaxPatterns];
  std::size_t count;
};

// What is compared with the name of a kernel.
enum class NameBase : std::uint8_t { kFunction, kDemangled, kMangled };

struct MetricLine {
  const char* name;
  const char* except;  // beginnings of chips, separated by blanks; empty: none
};

// All zeros at first; read_plan() sets what is not.
struct Plan {
  Pattern name;  // -k
  NameBase base;
  // --kernel-id
  bool has_id;
  std::uint32_t context;
  std::uint32_t stream;
  Pattern id_name;
  std::uint64_t invocation;  // from 1; 0: any
  std::uint64_t skip;
  std::uint64_t count;
  std::uint64_t skip_before;
  FilterMode mode;
  RangePatterns include;  // --nvtx-include: one of them must match, if there are any
  RangePatterns exclude;
  wire::KernelReplay replay;
  // KernelReplay::kApplication uses the pass of this run, and the folder of counters of runs.
  std::size_t run;
  const char* images;
  MetricLine metrics[kMaxMetrics];
  std::size_t num_metrics;
  const char* sass_metrics[kMaxSassMetrics];  // counted by instruction
  std::size_t num_sass_metrics;
};

// Reads the plan of the session. Returns null if there is none, or if it cannot be read.
const Plan* read_plan();

bool matches(const Pattern& pattern, const char* name);

}  // namespace prof::cuda::kernels
