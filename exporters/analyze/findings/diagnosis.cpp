#include <algorithm>

#include "exporters/analyze/findings/finding.hpp"
#include "exporters/tables/percent.hpp"

namespace prof::analyze {

namespace {

constexpr NamedRule kRules[] = {
    {"pageable_copies", pageable_copies},
    {"small_copies", small_copies},
    {"single_stream", single_stream},  // explains serial_copies; with equal times it comes first
    {"serial_copies", serial_copies},
    {"synchronization", synchronization},
    {"slow_calls", slow_calls},
    {"launch_bound", launch_bound},
    {"data_loading", data_loading},
    {"cpu_bound", cpu_bound},
    {"exposed_communication", exposed_communication},
    {"uneven_iterations", uneven_iterations},
    {"fp32_gemm", fp32_gemm},
    {"small_grids", small_grids},
    {"layout_conversion", layout_conversion},
    {"allocator_churn", allocator_churn},
    {"profiler_overhead", profiler_overhead},
};

// Findings below this share of the analyzed time, in percent, are not reported.
constexpr double kLeastShare = 2;

}  // namespace

std::span<const NamedRule> finding_rules() { return kRules; }

Diagnosis diagnose(const Facts& facts) {
  Diagnosis result;
  result.span = facts.span();
  if (facts.work.operations().empty()) {
    result.has_gpu_work = false;
    result.verdict = {"no GPU work", "the report has no kernels, copies or fills"};
    return result;
  }
  result.verdict = verdict_of(facts);
  for (const NamedRule& rule : kRules)
    if (auto finding = rule.run(facts);
        finding && tables::percent(finding->at_stake, result.span) >= kLeastShare)
      result.findings.push_back(*std::move(finding));
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.at_stake > b.at_stake; });
  return result;
}

}  // namespace prof::analyze
