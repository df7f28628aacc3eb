// Findings from PC samples: what kernels wait for, and at which line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/analyze/findings/stalls/kernel_stalls.hpp"

namespace prof::analyze {

namespace {

// A smaller share of the samples rarely limits a kernel.
constexpr double kMinWaiting = 0.3;

// The part that a cause takes of a kernel's time at most. The cycles in which an instruction is
// issued stay.
double part_at_stake(const KernelStalls& kernel, const CauseShare& cause) {
  return std::min(1 - kernel.issued, cause.share);
}

bool is_counted(const Facts& facts, const KernelStalls& kernel) {
  // Communication kernels wait for other GPUs in a loop, whatever their samples say.
  return kernel.is_known() && !facts.work.kernel_kind(kernel.name).communication;
}

// Returns where the samples are. `of` names the samples that the share refers to.
std::string most_text(const SampledPlace& place, const char* of) {
  if (place.text.empty()) return "; prof stats -r pc_sampling_lines has the functions";
  return fmt::format("; {:.0f} % {} are at {}", 100 * place.share, of, place.text);
}

// The kernels that wait for one cause most of all.
struct WaitingKernels {
  std::int64_t count = 0;
  double at_stake = 0;  // ns
  const KernelStalls* worst = nullptr;
  double of_worst = 0;  // ns at stake
};

std::optional<Finding> waits_for(const Facts& facts, stalls::Cause cause, const char* rule,
                                 const char* sentence) {
  WaitingKernels sum;
  for (const KernelStalls& each : facts.stalls) {
    if (!is_counted(facts, each) || each.is_issue_bound() || each.causes.empty()) continue;
    const CauseShare& main = each.causes[0];
    if (main.cause != cause || main.share < kMinWaiting) continue;
    // The bandwidth is the cause of these waits.
    if (cause == stalls::Cause::kMemory && is_memory_bound(facts, each.name)) continue;
    const double at_stake = part_at_stake(each, main) * static_cast<double>(each.time);
    sum.count += each.count;
    sum.at_stake += at_stake;
    if (sum.worst != nullptr && at_stake <= sum.of_worst) continue;
    sum.worst = &each;
    sum.of_worst = at_stake;
  }
  if (sum.worst == nullptr) return std::nullopt;
  constexpr double kSavedPart = 0.5;  // Hiding a wait often leaves some of it.
  const CauseShare& main = sum.worst->causes[0];
  return Finding{
      rule,
      sentence,
      std::llround(sum.at_stake),
      fmt::format("{}; the most time at stake ({}) is in {}: in {:.0f} % of its samples "
                  "the warp {} ({}){}",
                  count_text(sum.count, "kernel"), time_text(std::llround(sum.of_worst)),
                  analyze::name_text(facts.work.kernel_name(sum.worst->name)), 100 * main.share,
                  main.meaning, main.reason, most_text(main.place, "of these")),
      main.remedy,
      where_of(facts, *sum.worst->longest),
      false,
      kSavedPart};
}

}  // namespace

std::optional<Finding> memory_stalls(const Facts& facts) {
  return waits_for(facts, stalls::Cause::kMemory, "memory_stalls",
                   "Kernels wait for data from memory, not for its bandwidth");
}

std::optional<Finding> shared_memory_stalls(const Facts& facts) {
  return waits_for(facts, stalls::Cause::kSharedMemory, "shared_memory_stalls",
                   "Kernels wait for shared memory or special functions");
}

std::optional<Finding> barrier_stalls(const Facts& facts) {
  return waits_for(facts, stalls::Cause::kBarrier, "barrier_stalls",
                   "Warps wait for each other at barriers");
}

std::optional<Finding> arithmetic_stalls(const Facts& facts) {
  return waits_for(facts, stalls::Cause::kArithmetic, "arithmetic_stalls",
                   "Kernels wait for results or units of arithmetic");
}

std::optional<Finding> instruction_stalls(const Facts& facts) {
  return waits_for(facts, stalls::Cause::kInstructions, "instruction_stalls",
                   "Kernels wait for their instructions");
}

std::optional<Finding> issue_bound_kernels(const Facts& facts) {
  std::int64_t count = 0, time = 0;
  const KernelStalls* top = nullptr;
  for (const KernelStalls& each : facts.stalls) {
    if (!is_counted(facts, each) || !each.is_issue_bound()) continue;
    count += each.count;
    time += each.time;
    if (top == nullptr || each.time > top->time) top = &each;
  }
  if (top == nullptr) return std::nullopt;
  constexpr double kSavedPart = 0.1;  // Such kernels use the GPU well.
  return Finding{
      "issue_bound_kernels",
      "Kernels are limited by the number of their instructions",
      time,
      fmt::format("{}; the most time ({}) is in {}: an instruction is issued at {:.0f} % of its "
                  "samples{}",
                  count_text(count, "kernel"), time_text(top->time),
                  name_text(facts.work.kernel_name(top->name)), 100 * top->issued,
                  most_text(top->place, "of all samples")),
      "Execute fewer instructions: keep the threads of a warp on one path, use vector loads, a "
      "lower precision, tensor cores, and simpler integer arithmetic for addresses",
      where_of(facts, *top->longest),
      false,
      kSavedPart};
}

}  // namespace prof::analyze
