#include "exporters/analysis/insight/occupancy/launch_rules.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "exporters/analysis/insight/occupancy/rule_texts.hpp"

namespace prof::insight {
namespace {

constexpr GpuLimits kH100{9, 0, 132, 32, 64, 32, 65536, 233472};
constexpr GpuLimits kA10{8, 6, 72, 32, 48, 16, 65536, 102400};

// What Nsight Compute 2025.3.1 printed for kernels on an H100, and the launches in the report that
// nsys made of the same program.
struct Profiled {
  const char* name;
  LaunchShape launch;
  // Blocks that threads, registers, shared memory and blocks allow.
  std::array<std::int64_t, kLimiters> limits;
  double occupancy;
  double achieved;
  double waves;  // rounded
  const char* limiters;
};
const Profiled kProfiled[] = {
    {"copy_streaming", {1056, 256, 18, 0, 32768}, {8, 10, 32, 32}, 100, 91.62, 1, "threads"},
    {"copy_strided", {1056, 256, 17, 0, 32768}, {8, 10, 32, 32}, 100, 98.90, 1, "threads"},
    {"gemm_naive",
     {4096, 256, 32, 0, 32768},
     {8, 8, 32, 32},
     100,
     91.66,
     3.88,
     "threads, registers"},
    {"gemm_tiled",
     {1024, 1024, 32, 8192, 32768},
     {2, 2, 3, 32},
     100,
     93.86,
     3.88,
     "threads, registers"},
    {"transpose<0>",
     {16384, 256, 28, 4096, 102400},
     {8, 8, 20, 32},
     100,
     92.96,
     15.52,
     "threads, registers"},
    {"transpose<1>",
     {16384, 256, 28, 4224, 102400},
     {8, 8, 19, 32},
     100,
     92.68,
     15.52,
     "threads, registers"},
    {"histogram_global", {528, 256, 16, 0, 32768}, {8, 16, 32, 32}, 100, 48.29, 0.50, "threads"},
    {"low_occupancy",
     {132, 64, 16, 204800, 233472},
     {32, 64, 1, 32},
     3.125,
     3.12,
     1,
     "shared memory"},
    {"divergent", {1024, 256, 16, 0, 32768}, {8, 16, 32, 32}, 100, 60.00, 0.97, "threads"},
    {"fp64_heavy", {1024, 256, 16, 0, 32768}, {8, 16, 32, 32}, 100, 55.35, 0.97, "threads"},
    {"one_block", {1, 1024, 16, 0, 8192}, {2, 4, 8, 32}, 100, 48.80, 0.00, "threads"},
    {"pointer_chase", {256, 256, 22, 0, 32768}, {8, 10, 32, 32}, 100, 23.82, 0.24, "threads"},
    {"local_memory",
     {1024, 256, 32, 0, 32768},
     {8, 8, 32, 32},
     100,
     87.60,
     0.97,
     "threads, registers"},
    {"special_functions", {1024, 256, 21, 0, 32768}, {8, 10, 32, 32}, 100, 60.54, 0.97, "threads"},
    {"nvjet_sm90_hsh_256x128_64x4",
     {132, 384, 168, 213188, 233472},
     {5, 1, 1, 32},
     18.75,
     14.64,
     1,
     "registers, shared memory"},
};

TEST(LaunchRules, OccupancyIsNsightComputes) {
  for (const Profiled& each : kProfiled) {
    const Occupancy occupancy = occupancy_of(each.launch, kH100);
    EXPECT_EQ(occupancy.limits, each.limits) << each.name;
    EXPECT_DOUBLE_EQ(occupancy.percent, each.occupancy) << each.name;
    EXPECT_DOUBLE_EQ(std::round(100 * occupancy.waves) / 100, each.waves) << each.name;
    EXPECT_EQ(limiter_text(occupancy), each.limiters) << each.name;
    EXPECT_GE(occupancy.reachable_percent + 0.005, each.achieved) << each.name;
  }
}

// "rule: percent", for all rules of a launch.
std::vector<std::string> rules(const LaunchShape& launch, const GpuLimits& gpu = kH100) {
  std::vector<std::string> result;
  for (const LaunchEstimate& each : launch_rules(launch, gpu))
    result.push_back(std::string(rule_name(each.rule)) + ": " +
                     std::to_string(std::lround(10000 * each.part)));
  return result;
}
using Rules = std::vector<std::string>;

TEST(LaunchRules, EstimatesAreNsightComputes) {
  for (const Profiled& each : kProfiled) {
    const std::string name = each.name;
    Rules expected;
    if (name.starts_with("gemm")) expected = {"tail_effect: 2500"};
    if (name == "one_block") expected = {"small_grids: 9924"};
    if (name == "low_occupancy") expected = {"low_occupancy: 9375"};
    // Nsight Compute prints 10 %, because most cycles have an instruction to issue.
    if (name.starts_with("nvjet")) expected = {"low_occupancy: 8125"};
    EXPECT_EQ(rules(each.launch), expected) << name;
  }
}

TEST(LaunchRules, SeveralAtOnceLargestFirst) {
  EXPECT_EQ(rules({100, 100, 168, 0}),
            (Rules{"low_occupancy: 8125", "small_grids: 2424", "partial_warps: 2188"}));
}

TEST(LaunchRules, TailsMatterUpToFourFullWaves) {
  const auto blocks = [](double waves) { return std::llround(waves * 132 * 8); };
  EXPECT_EQ(rules({blocks(1.25), 256, 32, 0}), Rules{"tail_effect: 5000"});
  EXPECT_EQ(rules({blocks(4.5), 256, 32, 0}), Rules{"tail_effect: 2000"});
  for (const double waves : {0.5, 1.0, 3.0, 5.5})
    EXPECT_EQ(rules({blocks(waves), 256, 32, 0}), Rules{}) << waves;
  // Full last waves would save less: three quarters of one of two waves.
  EXPECT_DOUBLE_EQ(launch_rules({blocks(1.25), 256, 32, 0}, kH100).at(0).expected_part, 0.375);
}

TEST(LaunchRules, NothingOfUnknownGpusAndLaunches) {
  EXPECT_EQ(rules({1, 100, 168, 0}, {}), Rules{});
  EXPECT_EQ(rules({1, 0, 0, 0}), Rules{});
  EXPECT_EQ(rules({0, 256, 32, 0}), Rules{});
}

TEST(LaunchRules, HaveReasons) {
  EXPECT_EQ(reason_text(KernelRule::kSmallGrid, {1, 1024, 16, 0}, kH100),
            "1 block for 132 multiprocessors");
  EXPECT_EQ(reason_text(KernelRule::kTail, {4096, 256, 32, 0}, kH100),
            "3 full waves of 1056 blocks, and a last one that is 88 % full");
  EXPECT_EQ(reason_text(KernelRule::kTail, {1057, 256, 32, 0}, kH100),
            "1 full wave of 1056 blocks, and a last one that is 1 % full");
  EXPECT_EQ(reason_text(KernelRule::kPartialWarps, {9, 100, 16, 0}, kH100),
            "blocks of 100 threads: the last warp has 4 of 32");
  EXPECT_EQ(reason_text(KernelRule::kLowOccupancy, {9999, 256, 42, 0}, kH100),
            "62.5 % occupancy: 5 blocks of 256 threads per multiprocessor, limited by registers; "
            "2 registers fewer per thread allow 75.0 %");
  EXPECT_EQ(reason_text(KernelRule::kLowOccupancy, {132, 64, 16, 204800, 233472}, kH100),
            "3.1 % occupancy: 1 block of 64 threads per multiprocessor, limited by shared memory; "
            "89088 bytes less shared memory per block allow 6.2 %");
  EXPECT_EQ(reason_text(KernelRule::kLowOccupancy, {999, 1024, 32, 0}, kA10),
            "66.7 % occupancy: 1 block of 1024 threads per multiprocessor, limited by threads");
}

}  // namespace
}  // namespace prof::insight
