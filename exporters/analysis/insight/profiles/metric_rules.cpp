#include "exporters/analysis/insight/profiles/metric_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "exporters/analysis/insight/profiles/rule_groups.hpp"

namespace prof::insight {

namespace {

// Rules with the same cause: only the largest is a main rule.
enum class Cause : std::uint8_t {
  kGrid,
  kWarps,
  kBlockSize,
  kWaits,
  kSectors,
  kSharedMemory,
  kThreads,
  kImbalance,
  kPipes,
  kPrecision,
  kFusing,
  kSpills,
  kTensorCores,
  kNone  // never a main rule
};

Cause cause_of(KernelRule rule) {
  switch (rule) {
    case KernelRule::kSmallGrid:
    case KernelRule::kTail:
      return Cause::kGrid;
    case KernelRule::kPartialWarps:
      return Cause::kBlockSize;
    case KernelRule::kLowOccupancy:
    case KernelRule::kUnusedOccupancy:
    case KernelRule::kRegisterWaste:
      return Cause::kWarps;
    case KernelRule::kIssueSlots:
    case KernelRule::kStall:
      return Cause::kWaits;
    case KernelRule::kSectorUse:
    case KernelRule::kUncoalesced:
      return Cause::kSectors;
    case KernelRule::kBankConflicts:
    case KernelRule::kSharedWavefronts:
      return Cause::kSharedMemory;
    case KernelRule::kDivergence:
      return Cause::kThreads;
    case KernelRule::kImbalance:
      return Cause::kImbalance;
    case KernelRule::kIdlePipes:
    case KernelRule::kBusyPipe:
      return Cause::kPipes;
    case KernelRule::kDoublePrecision:
      return Cause::kPrecision;
    case KernelRule::kUnfused:
      return Cause::kFusing;
    case KernelRule::kSpills:
      return Cause::kSpills;
    case KernelRule::kIdleTensorCores:
      return Cause::kTensorCores;
    case KernelRule::kCompression:  // Few programs have compressible memory.
    case KernelRule::kCompressionWrites:
      break;
  }
  return Cause::kNone;
}

bool is_larger(const RuleResult& a, const RuleResult& b) {
  if (a.is_local != b.is_local) return b.is_local;
  return a.part > b.part;
}

}  // namespace

std::vector<RuleResult> metric_rules(const ProfiledKernel& kernel) {
  RuleResults results;
  add_pipe_rules(kernel, results);
  add_compression_rules(kernel, results);
  add_access_rules(kernel, results);
  add_scheduler_rules(kernel, results);
  add_arithmetic_rules(kernel, results);
  add_occupancy_rules(kernel, results);
  add_balance_rules(kernel, results);
  // Values of a damaged report may have no meaning.
  std::erase_if(results, [](const RuleResult& each) { return !std::isfinite(each.part); });
  for (RuleResult& each : results) each.part = std::clamp(each.part, 0.0, 1.0);
  return results;
}

std::vector<RuleResult> main_rules(const ProfiledKernel& kernel) {
  RuleResults all = metric_rules(kernel);
  std::stable_sort(all.begin(), all.end(), is_larger);
  // A small grid leaves places for warps empty, and multiprocessors without work.
  const bool small = std::any_of(all.begin(), all.end(), [](const RuleResult& each) {
    return each.rule == KernelRule::kSmallGrid;
  });
  const bool any_global = std::any_of(all.begin(), all.end(), [](const RuleResult& each) {
    return !each.is_local && cause_of(each.rule) != Cause::kNone;
  });
  std::array<bool, static_cast<std::size_t>(Cause::kNone) + 1> known = {};
  RuleResults result;
  for (RuleResult& each : all) {
    const Cause cause = cause_of(each.rule);
    bool& is_known = known.at(static_cast<std::size_t>(cause));
    if (cause == Cause::kNone || is_known || (each.is_local && any_global)) continue;
    if (small && (cause == Cause::kWarps || cause == Cause::kImbalance)) continue;
    is_known = true;
    result.push_back(std::move(each));
  }
  return result;
}

}  // namespace prof::insight
