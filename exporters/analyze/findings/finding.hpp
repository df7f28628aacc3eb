// A finding: what costs time, how much, where to look and what usually helps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exporters/analyze/findings/facts.hpp"

namespace prof::analyze {

struct Finding {
  const char* rule = "";
  std::string sentence;       // what it is
  std::int64_t at_stake = 0;  // ns of GPU time, summed over the GPUs
  std::string evidence;       // where to look
  const char* remedy = "";
};

// A rule looks at the facts and says what it found, if anything: one of those in finding_rules().
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

// What bounds the program.
struct Verdict {
  const char* bound = "";  // "GPU compute bound"
  std::string sentence;    // with the shares of the time
};

Verdict verdict_of(const Facts& facts);

struct Diagnosis {
  Verdict verdict;
  std::vector<Finding> findings;  // by falling time at stake
  std::int64_t span = 0;          // ns, summed over the GPUs: what shares are shares of
};

// Without findings, and with another verdict, for a report without GPU work.
Diagnosis diagnose(const Facts& facts);

// "1.23 ms", "45 us", "3.1 s"
std::string time_text(std::int64_t ns);
std::string count_text(std::int64_t count, std::string_view noun);  // "1 copy", "2 kernels"
std::string bytes_text(std::int64_t bytes);                         // "1.5 MB", decimal

}  // namespace prof::analyze
