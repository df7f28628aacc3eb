// Findings about launch configurations: what the shape of a launch costs.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/insight/occupancy/launch_rules.hpp"
#include "exporters/analysis/insight/occupancy/rule_texts.hpp"

namespace prof::analyze {

namespace {

using insight::KernelLaunches;
using insight::KernelRule;
using insight::LaunchEstimate;

// The launches to which a rule applies.
struct RuleSum {
  KernelRule rule;
  std::int64_t count = 0;
  double at_stake = 0;  // ns
  double expected = 0;  // ns
  const KernelLaunches* worst = nullptr;
  double of_worst = 0;  // ns at stake
  std::vector<std::int64_t> kernels = {};
};

// Communication kernels use few blocks by design.
template <class Fits>
RuleSum launches_that(const Facts& facts, KernelRule rule, Fits fits) {
  RuleSum sum{rule};
  for (const KernelLaunches& each : facts.launches) {
    if (facts.work.kernel_kind(each.configuration.kernel.name).communication) continue;
    for (const LaunchEstimate& estimate : insight::launch_rules(each.shape, each.gpu)) {
      if (estimate.rule != rule || !fits(each, estimate)) continue;
      const auto time = static_cast<double>(each.total);
      sum.count += each.instances;
      sum.at_stake += estimate.part * time;
      sum.expected += estimate.expected_part * time;
      sum.kernels.push_back(each.configuration.kernel.name);
      if (sum.worst != nullptr && estimate.part * time <= sum.of_worst) continue;
      sum.worst = &each;
      sum.of_worst = estimate.part * time;
    }
  }
  return sum;
}

std::optional<Finding> finding_of(const Facts& facts, const RuleSum& sum, const char* sentence,
                                  const char* remedy) {
  if (sum.worst == nullptr) return std::nullopt;
  const KernelLaunches& worst = *sum.worst;
  const insight::LaunchConfiguration& launch = worst.configuration;
  return Finding{insight::rule_name(sum.rule),
                 sentence,
                 std::llround(sum.at_stake),
                 fmt::format("{}; the most time is in {}: {}{}", count_text(sum.count, "kernel"),
                             name_text(facts.work.kernel_name(launch.kernel.name)),
                             insight::reason_text(sum.rule, worst.shape, worst.gpu),
                             stall_text(facts.stalls, launch.kernel.name)),
                 remedy,
                 Where{worst.longest, {}, {{launch.global_pid, launch.device}}, worst.stream},
                 false,
                 sum.expected / sum.at_stake,
                 sum.kernels};
}

bool fits_all(const KernelLaunches& /*launches*/, const LaunchEstimate& /*estimate*/) {
  return true;
}

}  // namespace

std::optional<Finding> small_grids(const Facts& facts) {
  return finding_of(facts, launches_that(facts, KernelRule::kSmallGrid, fits_all),
                    "Kernels have fewer blocks than the GPU has multiprocessors",
                    "Give each launch more work (larger batches), split it into more blocks, or "
                    "run independent kernels on several streams");
}

std::optional<Finding> tail_effect(const Facts& facts) {
  constexpr double kMinPart = 0.02;  // A nearly full last wave costs little.
  const RuleSum sum = launches_that(facts, KernelRule::kTail,
                                    [](const KernelLaunches&, const LaunchEstimate& estimate) {
                                      return estimate.expected_part >= kMinPart;
                                    });
  return finding_of(facts, sum, "The last wave of a kernel's blocks does not fill the GPU",
                    "Choose the number of blocks as a multiple of the blocks in a wave, use "
                    "smaller blocks, or let as many blocks as fit on the GPU loop over the data");
}

std::optional<Finding> partial_warps(const Facts& facts) {
  return finding_of(facts, launches_that(facts, KernelRule::kPartialWarps, fits_all),
                    "Threads of warps stay unused, because block sizes are not multiples of 32",
                    "Use blocks whose number of threads is a multiple of 32: 128 or 256 suit most "
                    "kernels");
}

std::optional<Finding> limited_occupancy(const Facts& facts) {
  constexpr double kFew = 50;          // percent; more rarely makes a kernel faster
  constexpr double kSavedPart = 0.25;  // Only kernels that wait for their own results gain.
  // Matrix products and convolutions keep much data in registers and shared memory by design. More
  // blocks on a multiprocessor do not help if the grid has no more of them.
  RuleSum sum = launches_that(
      facts, KernelRule::kLowOccupancy, [&](const KernelLaunches& launches, const LaunchEstimate&) {
        const insight::Occupancy occupancy = insight::occupancy_of(launches.shape, launches.gpu);
        return occupancy.percent < kFew && occupancy.waves >= 1 &&
               facts.work.kernel_kind(launches.configuration.kernel.name).tensor_cores ==
                   insight::TensorCores::kNo;
      });
  sum.expected = kSavedPart * sum.at_stake;
  return finding_of(facts, sum,
                    "Registers, shared memory or block sizes allow only few warps in flight",
                    kMoreOccupancy);
}

}  // namespace prof::analyze
