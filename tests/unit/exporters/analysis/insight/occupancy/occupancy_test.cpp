#include "exporters/analysis/insight/occupancy/occupancy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#endif

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
            const std::string& limiters) {
  const Occupancy occupancy = occupancy_of(launch, gpu);
  EXPECT_EQ(occupancy.blocks_per_multiprocessor, blocks);
  EXPECT_NEAR(occupancy.percent, percent, 0.05);
  EXPECT_EQ(limiter_text(occupancy), limiters);
}

// The two examples of the CUDA best practices guide ("Calculating Occupancy").
TEST(Occupancy, AsTheBestPracticesGuideSays) {
  expect({1, 128, 37, 0}, kV100, 12, 75, "registers");
  expect({1, 320, 37, 0}, kV100, 4, 62.5, "registers");
}

TEST(Occupancy, FullWithUpTo32Registers) {
  expect({1, 256, 32, 0}, kA100, 8, 100, "threads, registers");
  expect({1, 256, 33, 0}, kA100, 6, 75, "registers");
  expect({1, 256, 64, 0}, kA100, 4, 50, "registers");
}

TEST(Occupancy, LargeAndSmallBlocks) {
  expect({1, 1024, 16, 0}, kRtx3080, 1, 66.7, "threads");
  expect({1, 33, 16, 0}, kRtx3080, 16, 66.7, "blocks");
  expect({1, 32, 16, 0}, kH200, 32, 50, "blocks");
}

TEST(Occupancy, SystemsSharedMemorySince80) {
  expect({1, 256, 32, 32768}, kA100, 4, 50, "shared memory");  // 5 without the system's KiB
  expect({1, 256, 32, 32768}, kT4, 2, 50, "shared memory");
  expect({1, 256, 32, 232448}, kH200, 1, 12.5, "shared memory");
}

TEST(Occupancy, SharedMemoryThatTheDriverSetApart) {
  expect({1, 256, 32, 8192, 65536}, kH200, 7, 87.5, "shared memory");
  expect({1, 256, 32, 8192, 233472}, kH200, 8, 100, "threads, registers");
  // Not recorded, too little for one block, and more than there is.
  for (const std::int64_t capacity : {0, 8192, 1 << 30})
    expect({1, 256, 32, 8192, capacity}, kH200, 8, 100, "threads, registers");
}

TEST(Occupancy, WarpsFitByScheduler) {
  expect({1, 64, 40, 0}, kP100, 25, 78.1, "registers");
  expect({1, 64, 40, 0}, kP40, 24, 75, "registers");
}

TEST(Occupancy, Waves) {
  EXPECT_DOUBLE_EQ(occupancy_of({1584, 256, 32, 0}, kH200).waves, 1.5);
  EXPECT_DOUBLE_EQ(occupancy_of({1584, 256, 32, 0}, kH200).tail_percent, 50);
  EXPECT_DOUBLE_EQ(occupancy_of({2112, 256, 32, 0}, kH200).waves, 2);
  EXPECT_DOUBLE_EQ(occupancy_of({2112, 256, 32, 0}, kH200).tail_percent, 0);
  EXPECT_DOUBLE_EQ(occupancy_of({264, 256, 32, 0}, kH200).tail_percent, 75);
}

TEST(Occupancy, ReachableByTheGrid) {
  EXPECT_DOUBLE_EQ(occupancy_of({1, 1024, 32, 0}, kH200).reachable_percent, 50);
  EXPECT_DOUBLE_EQ(occupancy_of({528, 256, 32, 0}, kH200).reachable_percent, 50);
  EXPECT_DOUBLE_EQ(occupancy_of({1056, 256, 32, 0}, kH200).reachable_percent, 100);
  EXPECT_DOUBLE_EQ(occupancy_of({9999, 256, 40, 0}, kH200).reachable_percent, 75);
}

TEST(Occupancy, UnknownOrImpossible) {
  EXPECT_EQ(occupancy_of({1, 256, 32, 0}, {}).blocks_per_multiprocessor, 0);
  EXPECT_EQ(occupancy_of({1, 1024, 255, 0}, kA100).blocks_per_multiprocessor, 0);
  EXPECT_EQ(occupancy_of({1, 0, 0, 0}, kA100).blocks_per_multiprocessor, 0);
  EXPECT_EQ(occupancy_of({1, 1025, 16, 0}, kA100).blocks_per_multiprocessor, 0);
  EXPECT_EQ(occupancy_of({1, 32, 16, 232449}, kH200).blocks_per_multiprocessor, 0);
  // 13 warps fit, but the hardware counts with 16.
  EXPECT_EQ(occupancy_of({1, 13 * 32, 152, 0}, kH200).blocks_per_multiprocessor, 0);
}

TEST(OccupancySteps, OfTheOnlyLimiter) {
  const OccupancyStep registers = next_step({1, 256, 35, 0}, kH200);
  EXPECT_EQ(registers.resource, Limiter::kRegisters);
  EXPECT_EQ(registers.saved, 3);  // 40 are allocated, and with 32 the multiprocessor is full
  EXPECT_DOUBLE_EQ(registers.percent, 100);
  const OccupancyStep shared = next_step({1, 64, 16, 204800}, kH200);
  EXPECT_EQ(shared.resource, Limiter::kSharedMemory);
  EXPECT_EQ(shared.saved, 204800 - (233472 / 2 - 1024));
  EXPECT_DOUBLE_EQ(shared.percent, 6.25);
  EXPECT_EQ(next_step({1, 256, 32, 0}, kH200).saved, 0);        // threads and registers
  EXPECT_EQ(next_step({1, 32, 16, 0}, kH200).saved, 0);         // blocks
  EXPECT_EQ(next_step({1, 384, 168, 213188}, kH200).saved, 0);  // registers and shared memory
  EXPECT_EQ(next_step({1, 0, 0, 0}, kH200).saved, 0);
}

#if __has_include(<cuda_occupancy.h>)
// The toolkit's own function, for random launches.

constexpr GpuLimits kGpus[] = {
    {7, 0, 80, 32, 64, 32, 65536, 98304},    {7, 5, 40, 32, 32, 16, 65536, 65536},
    {8, 0, 108, 32, 64, 32, 65536, 167936},  {8, 6, 84, 32, 48, 16, 65536, 102400},
    {8, 7, 16, 32, 48, 16, 65536, 167936},   {8, 9, 142, 32, 48, 24, 65536, 102400},
    {9, 0, 132, 32, 64, 32, 65536, 233472},  {10, 0, 148, 32, 64, 32, 65536, 233472},
    {10, 3, 148, 32, 64, 32, 65536, 233472}, {11, 0, 20, 32, 48, 24, 65536, 233472},
    {12, 0, 170, 32, 48, 24, 65536, 102400}, {12, 1, 48, 32, 48, 24, 65536, 102400},
};

cudaOccDeviceProp properties_of(const GpuLimits& gpu) {
  cudaOccDeviceProp result;
  const std::size_t reserved = gpu.compute_major >= 8 ? 1024 : 0;
  result.computeMajor = gpu.compute_major;
  result.computeMinor = gpu.compute_minor;
  result.maxThreadsPerBlock = 1024;
  result.maxThreadsPerMultiprocessor = gpu.warps * gpu.threads_per_warp;
  result.regsPerBlock = 65536;
  result.regsPerMultiprocessor = gpu.registers;
  result.warpSize = gpu.threads_per_warp;
  result.sharedMemPerBlock = 49152;
  result.sharedMemPerMultiprocessor = static_cast<std::size_t>(gpu.shared_memory);
  result.numSms = gpu.multiprocessors;
  result.sharedMemPerBlockOptin = result.sharedMemPerMultiprocessor - reserved;
  result.reservedSharedMemPerBlock = reserved;
  return result;
}

struct Launch {
  int threads;
  int registers;
  int static_shared;
  int dynamic_shared;
  int carveout;  // percent; -1: none
};

class Launches {
 public:
  Launch next(const GpuLimits& gpu) {
    const int most = gpu.shared_memory / (upto(3) + 1);
    const int dynamic = upto(1) != 0 ? upto(most) : 0;
    return {1 + upto(1040), upto(260), upto(2) != 0 ? 0 : upto(49152), dynamic, upto(101) - 1};
  }

 private:
  int upto(int largest) { return std::uniform_int_distribution(0, largest)(random_); }
  std::mt19937 random_{46};  // NOLINT(cert-msc51-cpp): the same launches in each run
};

// The toolkit's function also needs what a launch with more than 48 KiB has to ask for.
cudaOccResult toolkits(const Launch& launch, const cudaOccDeviceProp& properties) {
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = INT_MAX;
  function.numRegs = launch.registers;
  function.sharedSizeBytes = static_cast<std::size_t>(launch.static_shared);
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = static_cast<std::size_t>(launch.dynamic_shared);
  function.numBlockBarriers = 1;
  cudaOccDeviceState state;
  state.carveoutConfig = launch.carveout;
  cudaOccResult result{};
  EXPECT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(
                &result, &properties, &function, &state, launch.threads,
                static_cast<std::size_t>(launch.dynamic_shared)),
            CUDA_OCC_SUCCESS);
  return result;
}

// The shared memory that the toolkit assumes for a preference, as a report would have it.
std::int64_t capacity(const Launch& launch, const cudaOccDeviceProp& properties,
                      std::size_t per_block) {
  cudaOccDeviceState state;
  state.carveoutConfig = launch.carveout;
  std::size_t bytes = 0;
  EXPECT_EQ(cudaOccSMemPreferenceVoltaPlus(&bytes, &properties, &state), CUDA_OCC_SUCCESS);
  if (bytes < per_block) {
    bytes = per_block;
    EXPECT_EQ(cudaOccAlignUpShmemSizeVoltaPlus(&bytes, &properties), CUDA_OCC_SUCCESS);
  }
  return static_cast<std::int64_t>(bytes);
}

std::string limiters_of(const cudaOccResult& result) {
  std::string text;
  for (const auto& [bit, name] :
       {std::pair(OCC_LIMIT_WARPS, "threads"), std::pair(OCC_LIMIT_REGISTERS, "registers"),
        std::pair(OCC_LIMIT_SHARED_MEMORY, "shared memory"), std::pair(OCC_LIMIT_BLOCKS, "blocks")})
    if ((result.limitingFactors & static_cast<unsigned>(bit)) != 0)
      text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

class CudaOccupancy : public testing::TestWithParam<GpuLimits> {};

TEST_P(CudaOccupancy, IsTheSame) {
  const GpuLimits& gpu = GetParam();
  const cudaOccDeviceProp properties = properties_of(gpu);
  Launches launches;
  int possible = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Launch launch = launches.next(gpu);
    const cudaOccResult expected = toolkits(launch, properties);
    LaunchShape shape{1, launch.threads, launch.registers,
                      std::int64_t{launch.static_shared} + launch.dynamic_shared, 0};
    const std::size_t per_block = expected.allocatedSharedMemPerBlock;
    if (per_block <= properties.sharedMemPerMultiprocessor)
      shape.shared_capacity = capacity(launch, properties, per_block);
    const Occupancy occupancy = occupancy_of(shape, gpu);
    ASSERT_EQ(occupancy.blocks_per_multiprocessor, expected.activeBlocksPerMultiprocessor)
        << launch.threads << " threads, " << launch.registers << " registers, "
        << shape.shared_memory << " bytes, carveout " << launch.carveout;
    if (expected.activeBlocksPerMultiprocessor == 0) continue;
    ++possible;
    ASSERT_EQ(limiter_text(occupancy), limiters_of(expected));
  }
  EXPECT_GT(possible, 10'000);
}

INSTANTIATE_TEST_SUITE_P(Gpus, CudaOccupancy, testing::ValuesIn(kGpus), [](const auto& gpu) {
  return "Cc" + std::to_string(10 * gpu.param.compute_major + gpu.param.compute_minor);
});
#endif

}  // namespace
}  // namespace prof::insight
