#include <algorithm>
#include <iterator>
#include <string_view>

#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::analyze {

namespace {

using insight::KernelRule;

constexpr NamedRule kRules[] = {
    {"pageable_copies", pageable_copies},
    {"small_copies", small_copies},
    {"single_stream",
     single_stream},  // explains serial_copies, so it comes first if their times are equal
    {"serial_copies", serial_copies},
    {"synchronization", synchronization},
    {"slow_calls", slow_calls},
    {"launch_bound", launch_bound},
    {"graph_gaps", graph_gaps},
    {"data_loading", data_loading},
    {"cpu_bound", cpu_bound},
    {"late_processes", late_processes},
    {"exposed_communication", exposed_communication},
    {"slow_links", slow_links},
    {"small_messages", small_messages},
    {"uneven_iterations", uneven_iterations},
    {"fp32_gemm", fp32_gemm, true},
    {"inefficient_operators", inefficient_operators},
    {"small_products", small_products},
    {"unaligned_products", unaligned_products},
    {"unfused_operators", unfused_operators},
    {"recomputation", recomputation},
    {"small_grids", small_grids, true},
    {"tail_effect", tail_effect, true},
    {"partial_warps", partial_warps, true},
    {"warp_stalls", profiled<KernelRule::kStall>, true},
    {"unused_occupancy", profiled<KernelRule::kUnusedOccupancy>, true},
    {"unused_sector_bytes", profiled<KernelRule::kSectorUse>, true},
    {"uncoalesced_accesses", profiled<KernelRule::kUncoalesced>, true},
    {"bank_conflicts", profiled<KernelRule::kBankConflicts>, true},
    {"shared_wavefronts", profiled<KernelRule::kSharedWavefronts>, true},
    {"divergent_threads", profiled<KernelRule::kDivergence>, true},
    {"uneven_units", profiled<KernelRule::kImbalance>, true},
    {"double_precision", profiled<KernelRule::kDoublePrecision>, true},
    {"unfused_arithmetic", profiled<KernelRule::kUnfused>, true},
    {"local_memory", profiled<KernelRule::kSpills>, true},
    {"layout_conversion", layout_conversion, true},
    {"memory_bound_kernels", memory_bound_kernels},
    {"idle_tensor_cores", idle_tensor_cores},
    {"idle_multiprocessors", idle_multiprocessors},
    {"low_occupancy", low_occupancy, true},
    {"memory_stalls", memory_stalls},
    {"shared_memory_stalls", shared_memory_stalls},
    {"barrier_stalls", barrier_stalls},
    {"arithmetic_stalls", arithmetic_stalls},
    {"instruction_stalls", instruction_stalls},
    {"issue_bound_kernels", issue_bound_kernels},
    {"full_pcie", full_pcie},
    {"full_nvlink", full_nvlink},
    {"shared_gpu", shared_gpu},
    {"gpu_throttled", gpu_throttled},
    {"allocator_churn", allocator_churn},
    {"profiler_overhead", profiler_overhead},
};

// Minimum share of the analyzed time, in percent, of a reported finding.
constexpr double kMinShare = 2;

}  // namespace

std::span<const NamedRule> finding_rules() { return kRules; }

Where where_of(const Facts& facts, const insight::Operation& operation) {
  return {operation.interval(), {}, facts.work.devices()[operation.device], operation.stream};
}

Where where_of(const Facts& facts, const insight::IdleTime& idle) {
  Where where{idle.time, {}, facts.work.devices()[idle.device]};
  if (idle.thread != 0) where.thread = idle.thread;
  return where;
}

Where where_of(const events::ApiCall& call) { return {{call.start, call.end}, call.global_tid}; }

Where where_of(const Facts& facts, const insight::Operation& on_gpu,
               const insight::Intervals& times) {
  const auto longest =
      std::max_element(times.begin(), times.end(),
                       [](const auto& a, const auto& b) { return a.length() < b.length(); });
  return {*longest, {}, facts.work.devices()[on_gpu.device]};
}

void Ranking::add(std::optional<Finding> finding) {
  if (finding && tables::percent(finding->at_stake, span_) >= kMinShare)
    findings_.push_back(*std::move(finding));
}

std::vector<Finding> Ranking::take() {
  std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
    return a.is_outside != b.is_outside ? b.is_outside : a.savings() > b.savings();
  });
  return std::move(findings_);
}

Diagnosis diagnose(const Facts& facts) {
  Diagnosis result;
  result.span = facts.span();
  result.window = facts.steady;
  if (facts.work.size() == 0) {
    result.subject = Subject::kNothing;
    result.verdict = {"no GPU work", "the report has no kernels, copies or fills"};
    return result;
  }
  if (facts.profiles.empty()) {
    result.verdict = verdict_of(facts);
  } else {
    result.span = insight::total_time(facts.launches);
    result.verdict = verdict_of_profiles(facts);
  }
  Ranking ranking(result.span);
  for (const NamedRule& rule : kRules)
    if (facts.profiles.empty() || rule.is_about_kernels) ranking.add(rule.run(facts));
  result.findings = ranking.take();
  return result;
}

}  // namespace prof::analyze
