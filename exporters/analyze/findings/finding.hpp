// A finding: a problem, how much time it costs, where it is and what usually helps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exporters/analyze/findings/facts.hpp"
#include "exporters/analyze/findings/verdict.hpp"

namespace prof::analyze {

struct Finding {
  const char* rule = "";
  std::string sentence;       // describes the problem
  std::int64_t at_stake = 0;  // ns of GPU time, summed over the GPUs
  std::string evidence;       // where to look
  const char* remedy = "";
};

// A rule reads the facts and returns its finding, if there is one.
using FindingRule = std::optional<Finding>(const Facts& facts);

FindingRule pageable_copies, small_copies, serial_copies;                        // copies.cpp
FindingRule synchronization, slow_calls, launch_bound, data_loading, cpu_bound;  // idle.cpp
FindingRule exposed_communication, uneven_iterations;                            // iterations.cpp
FindingRule fp32_gemm, small_grids, layout_conversion;                           // kernels.cpp
FindingRule allocator_churn, single_stream, profiler_overhead;                   // resources.cpp

struct NamedRule {
  const char* name;
  FindingRule* run;
};
std::span<const NamedRule> finding_rules();

struct Diagnosis {
  bool has_gpu_work = true;
  Verdict verdict;
  std::vector<Finding> findings;  // most time at stake first
  std::int64_t span = 0;          // ns, summed over the GPUs; shares refer to it
};

// A report without GPU work gets the verdict "no GPU work" and no findings.
Diagnosis diagnose(const Facts& facts);

}  // namespace prof::analyze
