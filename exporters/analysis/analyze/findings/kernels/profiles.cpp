// Findings of prof kernel: what the metrics of profiled kernels say.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/insight/occupancy/rule_texts.hpp"
#include "exporters/analysis/insight/profiles/metric_rules.hpp"
#include "exporters/analysis/insight/profiles/verdict.hpp"

namespace prof::analyze {

namespace {

using insight::KernelLaunches;
using insight::KernelRule;

const char* sentence_of(KernelRule rule) {
  switch (rule) {
    case KernelRule::kStall:
      return "Warps of kernels wait most of their time for one thing";
    case KernelRule::kUnusedOccupancy:
      return "Fewer warps are active than the launches allow";
    case KernelRule::kSectorUse:
      return "Threads use a small part of the memory sectors that they move";
    case KernelRule::kUncoalesced:
      return "Threads of a warp access addresses that are far apart";
    case KernelRule::kBankConflicts:
    case KernelRule::kSharedWavefronts:
      return "Threads of a warp access the same banks of shared memory";
    case KernelRule::kDivergence:
      return "Threads of a warp take different ways";
    case KernelRule::kImbalance:
      return "Some units of the GPU work longer than others";
    case KernelRule::kDoublePrecision:
      return "Kernels compute in double precision, which is slower on this GPU";
    case KernelRule::kUnfused:
      return "Multiplications and additions are separate instructions";
    case KernelRule::kSpills:
      return "Local memory takes a part of the L1 cache's work";
    default:
      return "Kernels do not use the GPU well";
  }
}

struct ProfileSum {
  std::int64_t count = 0;
  double at_stake = 0;  // ns
  const KernelLaunches* worst = nullptr;
  double of_worst = 0;
  std::string reason;  // of the worst
};

const insight::MetricValues* metrics_of(const Facts& facts, const KernelLaunches& launches) {
  const auto found = facts.profiles.find(launches.configuration);
  return found == facts.profiles.end() ? nullptr : &found->second;
}

const insight::SourceHints* hints_of(const Facts& facts, const KernelLaunches& launches) {
  const auto found = facts.hints.find(launches.configuration);
  return found == facts.hints.end() ? nullptr : &found->second;
}

ProfileSum sum_of(const Facts& facts, KernelRule rule) {
  ProfileSum sum;
  for (const KernelLaunches& each : facts.launches) {
    const insight::MetricValues* metrics = metrics_of(facts, each);
    if (metrics == nullptr) continue;
    const std::string& name = facts.work.kernel_name(each.configuration.kernel.name);
    for (const insight::RuleResult& result :
         insight::main_rules({name, each.shape, each.gpu, *metrics, hints_of(facts, each)})) {
      if (result.rule != rule || result.is_local) continue;
      const double time = result.part * static_cast<double>(each.total);
      sum.count += each.instances;
      sum.at_stake += time;
      if (sum.worst != nullptr && time <= sum.of_worst) continue;
      sum.worst = &each;
      sum.of_worst = time;
      sum.reason = result.reason;
    }
  }
  return sum;
}

}  // namespace

template <KernelRule rule>
std::optional<Finding> profiled(const Facts& facts) {
  const ProfileSum sum = sum_of(facts, rule);
  if (sum.worst == nullptr) return std::nullopt;
  const insight::LaunchConfiguration& launch = sum.worst->configuration;
  return Finding{
      insight::rule_name(rule),
      sentence_of(rule),
      std::llround(sum.at_stake),
      fmt::format("{}; the most time is in {}: {}", count_text(sum.count, "kernel"),
                  name_text(facts.work.kernel_name(launch.kernel.name)), sum.reason),
      insight::next_step_text(rule),
      Where{sum.worst->longest, {}, {{launch.global_pid, launch.device}}, sum.worst->stream}};
}

template FindingRule profiled<KernelRule::kStall>;
template FindingRule profiled<KernelRule::kUnusedOccupancy>;
template FindingRule profiled<KernelRule::kSectorUse>;
template FindingRule profiled<KernelRule::kUncoalesced>;
template FindingRule profiled<KernelRule::kBankConflicts>;
template FindingRule profiled<KernelRule::kSharedWavefronts>;
template FindingRule profiled<KernelRule::kDivergence>;
template FindingRule profiled<KernelRule::kImbalance>;
template FindingRule profiled<KernelRule::kDoublePrecision>;
template FindingRule profiled<KernelRule::kUnfused>;
template FindingRule profiled<KernelRule::kSpills>;

Verdict verdict_of_profiles(const Facts& facts) {
  const KernelLaunches* most = nullptr;
  std::int64_t count = 0;
  for (const KernelLaunches& each : facts.launches) {
    if (metrics_of(facts, each) == nullptr) continue;
    count += each.instances;
    if (most == nullptr || each.total > most->total) most = &each;
  }
  if (most == nullptr) return {"profiled kernels", "their GPU is not known"};
  const std::string& name = facts.work.kernel_name(most->configuration.kernel.name);
  const insight::KernelVerdict verdict =
      insight::verdict_of({name, most->shape, most->gpu, *metrics_of(facts, *most)});
  return {"profiled kernels",
          fmt::format("{}; the most time is in {}{}{}", count_text(count, "kernel"),
                      name_text(name), verdict.text.empty() ? "" : ": ", verdict.text)};
}

}  // namespace prof::analyze
