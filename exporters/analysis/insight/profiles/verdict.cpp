#include "exporters/analysis/insight/profiles/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace prof::insight {

namespace {

struct MemoryUnit {
  const char* name;
  const char* metric;
};
constexpr MemoryUnit kMemoryUnits[] = {{"DRAM", "gpu__dram_throughput"},
                                       {"L2", "lts__throughput"},
                                       {"L1", "l1tex__throughput"},
                                       {"DRAM", "dram__cycles_active"}};

// The throughput of the memory is that of its busiest part.
const char* busiest_unit(const MetricValues& metrics, double throughput) {
  constexpr double kSame = 1;  // percentage points: units are measured in different passes
  const char* best = "";
  double distance = kSame;
  for (const MemoryUnit& each : kMemoryUnits) {
    const auto load = metrics.find(elapsed(each.metric));
    if (!load || std::abs(*load - throughput) >= distance) continue;
    best = each.name;
    distance = std::abs(*load - throughput);
  }
  return best;
}

// Quick profiles lack the throughputs: then the schedulers stand for the computation.
std::optional<double> compute_of(const MetricValues& metrics) {
  if (const auto all = metrics.find(elapsed("sm__throughput"))) return all;
  const auto issue = metrics.find("smsp__issue_active.avg.per_cycle_active");
  return issue ? std::optional(100 * *issue) : std::nullopt;
}

std::optional<double> memory_of(const MetricValues& metrics) {
  if (const auto all = metrics.find(elapsed("gpu__compute_memory_throughput"))) return all;
  std::optional<double> most;
  for (const MemoryUnit& each : kMemoryUnits)
    if (const auto load = metrics.find(elapsed(each.metric)))
      most = std::max(most.value_or(0), *load);
  return most;
}

KernelLimit limit_of(double compute, double memory, double waves) {
  constexpr double kNear = 60;  // percent
  constexpr double kAtLimit = 80;
  constexpr double kDifference = 10;
  if (compute < kNear && memory < kNear)
    return waves > 0 && waves < 1 ? KernelLimit::kSmallGrid : KernelLimit::kLatency;
  if (std::max(compute, memory) < kAtLimit && std::abs(compute - memory) < kDifference)
    return KernelLimit::kBalanced;
  return compute >= memory ? KernelLimit::kCompute : KernelLimit::kMemory;
}

std::string text_of(const KernelVerdict& verdict, double waves) {
  const double compute = *verdict.compute;
  const double memory = *verdict.memory;
  const std::string unit =
      *verdict.unit == '\0' ? "memory" : fmt::format("memory ({})", verdict.unit);
  const std::string loads =
      fmt::format("compute at {:.0f} % of its peak, {} at {:.0f} %", compute, unit, memory);
  switch (verdict.limit) {
    case KernelLimit::kSmallGrid:
      return fmt::format("small grid: {:.2f} waves; {}", waves, loads);
    case KernelLimit::kLatency:
      return "waits: " + loads;
    case KernelLimit::kBalanced:
      return "compute and memory: " + loads;
    case KernelLimit::kCompute:
      return (verdict.is_at_limit ? "compute, at the limit: " : "compute: ") + loads;
    case KernelLimit::kMemory:
      return (verdict.is_at_limit ? "memory, at the limit: " : "memory: ") + loads;
    case KernelLimit::kUnknown:
      break;
  }
  return "";
}

}  // namespace

KernelVerdict verdict_of(const ProfiledKernel& kernel) {
  constexpr double kAtLimit = 80;
  KernelVerdict verdict;
  verdict.compute = compute_of(kernel.metrics);
  verdict.memory = memory_of(kernel.metrics);
  if (!verdict.compute || !verdict.memory) return verdict;
  const double waves = occupancy_of(kernel.shape, kernel.gpu).waves;
  verdict.limit = limit_of(*verdict.compute, *verdict.memory, waves);
  verdict.is_at_limit = std::max(*verdict.compute, *verdict.memory) >= kAtLimit;
  verdict.unit = busiest_unit(kernel.metrics, *verdict.memory);
  verdict.text = text_of(verdict, waves);
  return verdict;
}

}  // namespace prof::insight
