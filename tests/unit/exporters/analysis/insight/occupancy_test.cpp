#include "exporters/analysis/insight/occupancy.hpp"

#include <gtest/gtest.h>

namespace prof::insight {
namespace {

// By the CUDA programming guide's technical specifications.
constexpr GpuLimits kP100{6, 0, 56, 32, 64, 32, 65536, 65536};
constexpr GpuLimits kP40{6, 1, 30, 32, 64, 32, 65536, 98304};
constexpr GpuLimits kV100{7, 0, 80, 32, 64, 32, 65536, 98304};
constexpr GpuLimits kT4{7, 5, 40, 32, 32, 16, 65536, 65536};
constexpr GpuLimits kA100{8, 0, 108, 32, 64, 32, 65536, 167936};
constexpr GpuLimits kRtx3080{8, 6, 68, 32, 48, 16, 65536, 102400};
constexpr GpuLimits kH200{9, 0, 132, 32, 64, 32, 65536, 233472};

void expect(const LaunchShape& launch, const GpuLimits& gpu, std::int64_t blocks, double percent,
            Limiter limiter) {
  const Occupancy occupancy = occupancy_of(launch, gpu);
  EXPECT_EQ(occupancy.blocks_per_multiprocessor, blocks);
  EXPECT_NEAR(occupancy.percent, percent, 0.05);
  EXPECT_EQ(occupancy.limiter, limiter);
}

// The two examples of the CUDA best practices guide ("Calculating Occupancy").
TEST(Occupancy, AsTheBestPracticesGuideSays) {
  expect({1, 128, 37, 0}, kV100, 12, 75, Limiter::kRegisters);
  expect({1, 320, 37, 0}, kV100, 4, 62.5, Limiter::kRegisters);
}

TEST(Occupancy, FullWithUpTo32Registers) {
  expect({1, 256, 32, 0}, kA100, 8, 100, Limiter::kThreads);
  expect({1, 256, 33, 0}, kA100, 6, 75, Limiter::kRegisters);
  expect({1, 256, 64, 0}, kA100, 4, 50, Limiter::kRegisters);
}

TEST(Occupancy, LargeAndSmallBlocks) {
  expect({1, 1024, 16, 0}, kRtx3080, 1, 66.7, Limiter::kThreads);
  expect({1, 33, 16, 0}, kRtx3080, 16, 66.7, Limiter::kBlocks);
  expect({1, 32, 16, 0}, kH200, 32, 50, Limiter::kBlocks);
}

TEST(Occupancy, SystemsSharedMemorySince80) {
  expect({1, 256, 32, 32768}, kA100, 4, 50, Limiter::kSharedMemory);  // 5 without the system's KiB
  expect({1, 256, 32, 32768}, kT4, 2, 50, Limiter::kSharedMemory);
  expect({1, 256, 32, 232448}, kH200, 1, 12.5, Limiter::kSharedMemory);
}

TEST(Occupancy, WarpsFitByScheduler) {
  expect({1, 64, 40, 0}, kP100, 25, 78.1, Limiter::kRegisters);
  expect({1, 64, 40, 0}, kP40, 24, 75, Limiter::kRegisters);
}

TEST(Occupancy, Waves) {
  EXPECT_DOUBLE_EQ(occupancy_of({1584, 256, 32, 0}, kH200).waves, 1.5);
  EXPECT_DOUBLE_EQ(occupancy_of({1584, 256, 32, 0}, kH200).tail_percent, 50);
  EXPECT_DOUBLE_EQ(occupancy_of({2112, 256, 32, 0}, kH200).waves, 2);
  EXPECT_DOUBLE_EQ(occupancy_of({2112, 256, 32, 0}, kH200).tail_percent, 0);
  EXPECT_DOUBLE_EQ(occupancy_of({264, 256, 32, 0}, kH200).tail_percent, 75);
}

TEST(Occupancy, UnknownOrImpossible) {
  EXPECT_EQ(occupancy_of({1, 256, 32, 0}, {}).blocks_per_multiprocessor, 0);
  EXPECT_EQ(occupancy_of({1, 1024, 255, 0}, kA100).blocks_per_multiprocessor, 0);
  EXPECT_EQ(occupancy_of({1, 0, 0, 0}, kA100).blocks_per_multiprocessor, 0);
}

}  // namespace
}  // namespace prof::insight
