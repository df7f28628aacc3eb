// Rules about schedulers, occupancy and how evenly units work.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "exporters/analysis/insight/occupancy/launch_rules.hpp"
#include "exporters/analysis/insight/occupancy/rule_texts.hpp"
#include "exporters/analysis/insight/profiles/rule_groups.hpp"
#include "exporters/analysis/insight/profiles/warp_stalls.hpp"

namespace prof::insight {

namespace {

constexpr const char* kIssueActive = "smsp__issue_active.avg.per_cycle_active";

struct StallText {
  std::string_view name;  // in names of metrics
  const char* text;       // what warps wait for
};
constexpr StallText kStalls[] = {
    {"barrier", "for other warps of the block at a barrier"},
    {"branch_resolving", "for the target of a branch"},
    {"dispatch_stall", "because the dispatcher holds instructions back"},
    {"drain", "at their end until their stores to memory are on the way"},
    {"gmma", "for asynchronous tensor core instructions (gmma)"},
    {"imc_miss", "for constants that are not in the constant cache"},
    {"lg_throttle", "because too many local and global accesses are queued"},
    {"long_scoreboard", "for data from global, local, texture or surface memory"},
    {"math_pipe_throttle", "for a busy pipe"},
    {"membar", "at a memory barrier"},
    {"mio_throttle", "because the queue for shared memory and special functions is full"},
    {"misc", "for other reasons"},
    {"no_instruction", "for instructions that are not in the instruction cache"},
    {"not_selected", "although they are ready: the scheduler takes another warp"},
    {"short_scoreboard", "for data from shared memory or special functions"},
    {"sleeping", "because the program lets them sleep"},
    {"tex_throttle", "because too many texture accesses are queued"},
    {"wait", "a fixed time between dependent instructions"},
};

std::string stall_text(std::string_view name) {
  const auto* known = std::find_if(std::begin(kStalls), std::end(kStalls),
                                   [&](const StallText& each) { return each.name == name; });
  return known == std::end(kStalls) ? "" : std::string(" ") + known->text;
}

// Without the estimate of the schedulers a rule's part refers to its unit only.
RuleResult limited(KernelRule rule, double part, const std::optional<double>& issue,
                   std::string reason) {
  return {rule, issue ? std::min(*issue, part) : part, !issue, std::move(reason)};
}

void add_stalls(const MetricValues& metrics, RuleResults& results) {
  constexpr double kBusy = 0.8;       // instructions issued in a cycle
  constexpr double kLargePart = 0.3;  // of a warp's time between two instructions
  const double latency = metrics.or_zero("smsp__average_warp_latency_per_inst_issued.ratio");
  const auto active_issue = metrics.find(kIssueActive);
  if (!active_issue || *active_issue >= kBusy || latency <= 0) return;
  const auto issue = issue_estimate(metrics);
  for (const WarpStall& each : warp_stalls(metrics))
    if (each.name != "selected" && each.part > kLargePart)
      results.push_back(
          limited(KernelRule::kStall, each.part, issue,
                  fmt::format("{}: of {:.1f} cycles between two instructions a warp waits {:.1f}{}",
                              each.name, latency, each.cycles, stall_text(each.name))));
}

struct Unit {
  std::string_view metric;
  const char* name;
};
constexpr Unit kUnits[] = {{"sm", "multiprocessor"},
                           {"smsp", "scheduler partition"},
                           {"l1tex", "L1 cache"},
                           {"lts", "L2 slice"},
                           {"dram", "DRAM channel"}};

}  // namespace

std::optional<double> issue_estimate(const MetricValues& metrics) {
  constexpr double kFew = 0.6;  // instructions issued in a cycle
  const auto issue = metrics.find(kIssueActive);
  if (!issue || *issue >= kFew) return std::nullopt;
  const double throughput = std::max(metrics.or_zero(elapsed("sm__throughput")),
                                     metrics.or_zero(elapsed("gpu__compute_memory_throughput")));
  return std::clamp(std::min(1 - *issue, 1 - throughput / 100), 0.0, 1.0);
}

void add_scheduler_rules(const ProfiledKernel& kernel, RuleResults& results) {
  const MetricValues& metrics = kernel.metrics;
  if (const auto estimate = issue_estimate(metrics)) {
    const double issue = metrics.or_zero(kIssueActive);
    results.push_back(
        {KernelRule::kIssueSlots, *estimate, true,
         fmt::format("a scheduler issues an instruction every {:.1f} cycles; of {} warps it can "
                     "hold, {:.2f} are active and {:.2f} ready",
                     issue > 0 ? 1 / issue : 0.0, kernel.gpu.warps / 4,
                     metrics.or_zero("smsp__warps_active.avg.per_cycle_active"),
                     metrics.or_zero("smsp__warps_eligible.avg.per_cycle_active"))});
  }
  add_stalls(metrics, results);
}

void add_occupancy_rules(const ProfiledKernel& kernel, RuleResults& results) {
  constexpr double kLargeDifference = 10;  // percentage points
  constexpr double kEnough = 80;           // percent
  constexpr std::int64_t kFewRegisters = 8;
  const auto issue = issue_estimate(kernel.metrics);
  for (const LaunchEstimate& each : launch_rules(kernel.shape, kernel.gpu)) {
    RuleResult result{each.rule, each.part, false,
                      reason_text(each.rule, kernel.shape, kernel.gpu)};
    if (each.rule == KernelRule::kLowOccupancy && !kernel.metrics.by_name().empty())
      result = limited(each.rule, each.part, issue, result.reason);
    results.push_back(std::move(result));
  }
  const Occupancy occupancy = occupancy_of(kernel.shape, kernel.gpu);
  const auto achieved = kernel.metrics.find(active("sm__warps_active"));
  if (!achieved || occupancy.blocks_per_multiprocessor == 0) return;
  if (occupancy.percent - *achieved > kLargeDifference)
    results.push_back(limited(
        KernelRule::kUnusedOccupancy, 1 - *achieved / occupancy.percent, issue,
        fmt::format("{:.1f} % of a multiprocessor's warps are active; the launch allows {:.1f} %",
                    *achieved, occupancy.percent)));
  const OccupancyStep step = next_step(kernel.shape, kernel.gpu);
  if (occupancy.percent >= kEnough && step.resource == Limiter::kRegisters && step.saved > 0 &&
      step.saved <= kFewRegisters)
    results.push_back(limited(KernelRule::kRegisterWaste, 1 - occupancy.percent / step.percent,
                              issue,
                              reason_text(KernelRule::kLowOccupancy, kernel.shape, kernel.gpu)));
}

void add_balance_rules(const ProfiledKernel& kernel, RuleResults& results) {
  constexpr double kMinPart = 0.05;
  for (const Unit& unit : kUnits) {
    const auto cycles = [&](const char* what) {
      return kernel.metrics.or_zero(std::string(unit.metric) + what);
    };
    const double average = cycles("__cycles_active.avg");
    const double most = cycles("__cycles_active.max");
    const double all = cycles("__cycles_elapsed.sum");
    if (average <= 0 || most <= 0 || all <= 0) continue;
    const double part = (1 - average / most) * cycles("__cycles_active.sum") / all;
    if (part < kMinPart) continue;
    results.push_back(
        {KernelRule::kImbalance, part, false,
         fmt::format("the busiest {0} works {1:.0f} % longer than the average, the idlest {2:.0f} "
                     "% shorter",
                     unit.name, 100 * (most / average - 1),
                     100 * (1 - cycles("__cycles_active.min") / average))});
  }
}

}  // namespace prof::insight
