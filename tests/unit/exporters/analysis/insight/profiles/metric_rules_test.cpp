#include "exporters/analysis/insight/profiles/metric_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/analysis/insight/occupancy/rule_texts.hpp"
#include "exporters/analysis/insight/profiles/verdict.hpp"

namespace prof::insight {
namespace {

constexpr GpuLimits kGpu{9, 0, 132, 32, 64, 32, 65536, 233472};
constexpr std::size_t kKernelCount = 15;

struct Known {
  std::string name;
  LaunchShape shape;
  MetricValues::ByName metrics;

  ProfiledKernel kernel(const MetricValues& values) const { return {name, shape, kGpu, values}; }
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line + '\t');
  for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
  return fields;
}

std::int64_t volume(const std::string& text) {  // of "(16, 16, 1)"
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
  EXPECT_EQ(std::sscanf(text.c_str(), "(%ld, %ld, %ld)", &x, &y, &z), 3);
  return x * y * z;
}

// What Nsight Compute 2025.3.1 measured on an H100.
std::vector<Known> known_kernels() {
  std::vector<Known> kernels(kKernelCount);
  std::ifstream file(NCU_DATA "/ncu_kernels.tsv");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = fields_of(line);
    for (std::size_t at = 0; at < kKernelCount && at + 2 < fields.size(); ++at) {
      const std::string& name = fields[0];
      const std::string& value = fields[at + 2];
      Known& kernel = kernels[at];
      if (name == "Kernel Name")
        kernel.name = value;
      else if (name == "Grid Size")
        kernel.shape.blocks = volume(value);
      else if (name == "Block Size")
        kernel.shape.threads = volume(value);
      else if (!value.empty() && std::islower(name[0]) != 0) {
        const double number = std::stod(value);
        kernel.metrics.emplace(name, MetricValue{number, number, number, 1});
      }
    }
  }
  for (Known& kernel : kernels) {
    const auto whole = [&](const char* name) {
      return static_cast<std::int64_t>(kernel.metrics[name].median);
    };
    kernel.shape.registers = whole("launch__registers_per_thread");
    kernel.shape.shared_memory = whole("launch__shared_mem_per_block_static") +
                                 whole("launch__shared_mem_per_block_dynamic");
    kernel.shape.shared_capacity = whole("launch__shared_mem_config_size");
  }
  return kernels;
}

struct Estimate {
  std::string rule;  // Nsight Compute's name
  bool is_local;
  double percent;
};

std::vector<std::vector<Estimate>> known_estimates() {
  std::vector<std::vector<Estimate>> estimates(kKernelCount);
  std::ifstream file(NCU_DATA "/ncu_estimates.tsv");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = fields_of(line);
    estimates.at(std::stoul(fields[0]))
        .push_back({fields[1], fields[2] == "local", std::stod(fields[3])});
  }
  return estimates;
}

// Nsight Compute's name of a rule; empty for rules that only prof has, and for what has no
// estimate.
const char* their_name(const RuleResult& result) {
  switch (result.rule) {
    case KernelRule::kSmallGrid:
    case KernelRule::kTail:
    case KernelRule::kPartialWarps:
      return "LaunchConfiguration";
    case KernelRule::kLowOccupancy:
      return "TheoreticalOccupancy";
    case KernelRule::kUnusedOccupancy:
      return "AchievedOccupancy";
    case KernelRule::kIssueSlots:
      return "IssueSlotUtilization";
    case KernelRule::kStall:
      return "CPIStall";
    case KernelRule::kSectorUse:
      return "MemoryCacheAccessPattern";
    case KernelRule::kUncoalesced:
      return "UncoalescedGlobalAccess";
    case KernelRule::kBankConflicts:
      return "SharedMemoryConflicts";
    case KernelRule::kSharedWavefronts:
      return "UncoalescedSharedAccess";
    case KernelRule::kDivergence:
      return "ThreadDivergence";
    case KernelRule::kImbalance:
      return "WorkloadImbalance";
    case KernelRule::kIdlePipes:
      return "HighPipeUtilization";
    case KernelRule::kDoublePrecision:
      return "SOLFPRoofline";
    case KernelRule::kUnfused:
      return "FPInstructions";
    case KernelRule::kCompression:
    case KernelRule::kCompressionWrites:
      return "MemoryL2Compression";
    case KernelRule::kBusyPipe:
    case KernelRule::kIdleTensorCores:
    case KernelRule::kSpills:
    case KernelRule::kRegisterWaste:
      break;
  }
  return "";
}

bool is_same(const Estimate& theirs, const RuleResult& ours) {
  const double percent = 100 * ours.part;
  return theirs.rule == their_name(ours) && theirs.is_local == ours.is_local &&
         std::abs(percent - theirs.percent) <= std::max(0.006 * theirs.percent, 0.01);
}

TEST(MetricRules, HaveNsightComputesEstimates) {
  const std::vector<Known> kernels = known_kernels();
  const std::vector<std::vector<Estimate>> estimates = known_estimates();
  int equal = 0;
  for (std::size_t at = 0; at < kKernelCount; ++at) {
    const MetricValues values(kernels[at].metrics);
    RuleResult none{};
    std::vector<RuleResult> ours = metric_rules(kernels[at].kernel(values));
    for (const Estimate& theirs : estimates[at]) {
      const auto found = std::find_if(
          ours.begin(), ours.end(), [&](const RuleResult& each) { return is_same(theirs, each); });
      if (found == ours.end()) {
        ADD_FAILURE() << kernels[at].name << ": no " << theirs.rule << " of " << theirs.percent;
        continue;
      }
      ours.erase(found);
      ++equal;
    }
    for (const RuleResult& each : ours)
      EXPECT_STREQ(their_name(each), "") << kernels[at].name << ": " << each.reason;
  }
  EXPECT_EQ(equal, 90);  // 85 of 14 kernels, and 5 of cuBLAS
}

TEST(MetricRules, GiveTheMainReasonFirst) {
  const std::map<std::string_view, std::vector<std::string>> expected = {
      {"copy_streaming", {"warp_stalls"}},
      {"copy_strided", {"uncoalesced_accesses", "warp_stalls"}},
      {"gemm_tiled", {"tail_effect", "warp_stalls", "bank_conflicts"}},
      {"void transpose<0>", {"shared_wavefronts", "warp_stalls"}},
      {"low_occupancy", {"warp_stalls", "low_occupancy", "uneven_units"}},
      {"divergent", {"divergent_threads"}},
      {"fp64_heavy", {"double_precision", "warp_stalls", "unused_occupancy"}},
      {"one_block", {"small_grids"}},
      {"local_memory", {"warp_stalls", "unused_sector_bytes"}}};
  std::size_t seen = 0;
  for (const Known& known : known_kernels()) {
    const auto all = expected.find(known.name.substr(0, known.name.find('(')));
    if (all == expected.end()) continue;
    ++seen;
    const MetricValues values(known.metrics);
    std::vector<std::string> rules;
    double last = 1;
    for (const RuleResult& each : main_rules(known.kernel(values))) {
      rules.emplace_back(rule_name(each.rule));
      EXPECT_LE(each.part, last) << known.name;
      EXPECT_FALSE(each.reason.empty());
      last = each.part;
    }
    rules.resize(std::min(rules.size(), all->second.size()));
    EXPECT_EQ(rules, all->second) << known.name;
  }
  EXPECT_EQ(seen, expected.size());
}

TEST(MetricRules, WithoutMetricsAreThoseOfTheLaunch) {
  const MetricValues none;
  const LaunchShape one_block{1, 1024, 16, 0, 8192};
  const auto rules = main_rules({"f()", one_block, kGpu, none});
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(rules[0].rule, KernelRule::kSmallGrid);
  EXPECT_NEAR(rules[0].part, 131.0 / 132, 1e-9);
  EXPECT_FALSE(rules[0].is_local);
}

TEST(MetricRules, SurviveValuesThatMakeNoSense) {
  for (const double value : {0.0, -1.0, 1e308, -1e308}) {
    std::vector<Known> kernels = known_kernels();
    for (auto& [name, metric] : kernels[0].metrics) metric.median = value;
    const MetricValues values(kernels[0].metrics);
    for (const RuleResult& each : main_rules(kernels[0].kernel(values)))
      EXPECT_TRUE(std::isfinite(each.part)) << value << ' ' << each.reason;
    EXPECT_FALSE(verdict_of(kernels[0].kernel(values)).text.empty());
  }
}

TEST(MetricRules, AreOfTheUnitOnlyWithoutTheThroughputOfTheKernel) {
  std::vector<Known> kernels = known_kernels();
  kernels[8].metrics.erase("sm__throughput.avg.pct_of_peak_sustained_elapsed");  // divergent
  const MetricValues values(kernels[8].metrics);
  for (const RuleResult& each : metric_rules(kernels[8].kernel(values)))
    if (each.rule == KernelRule::kDivergence) {
      EXPECT_TRUE(each.is_local);
      EXPECT_NEAR(each.part, 0.484, 0.001);
    }
}

TEST(Verdict, IsThatOfNsightCompute) {
  // The limit, and the part of the memory that it names; "!": at the limit.
  const char* const expected[] = {"memory DRAM", "latency ",    "!memory L1", "!memory L1",
                                  "!memory L1",  "memory DRAM", "grid ",      "latency ",
                                  "compute ",    "!compute ",   "grid ",      "!memory L2",
                                  "grid ",       "compute ",    "!compute "};
  const std::vector<Known> kernels = known_kernels();
  for (std::size_t at = 0; at < kKernelCount; ++at) {
    const MetricValues values(kernels[at].metrics);
    const KernelVerdict verdict = verdict_of(kernels[at].kernel(values));
    const char* const names[] = {"unknown", "grid", "latency", "compute", "memory", "balanced"};
    std::string text = verdict.is_at_limit ? "!" : "";
    text += names[static_cast<std::size_t>(verdict.limit)];
    text += ' ';
    if (verdict.limit == KernelLimit::kMemory) text += verdict.unit;
    EXPECT_EQ(text, expected[at]) << kernels[at].name;
  }
}

}  // namespace
}  // namespace prof::insight
