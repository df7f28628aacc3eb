#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::stats {
namespace {

class KernelOccupancyTest : public test::GpuFixture {
 protected:
  KernelOccupancyTest() {
    add({.start = 0, .end = 75});
    sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET registersPerThread = 37, gridX = 1440, "
        "blockX = 128, staticSharedMemory = 1000, dynamicSharedMemory = 24;");
    add({.start = 75, .end = 100, .device = 5});
  }
};

TEST_F(KernelOccupancyTest, OfTheGpuThatTheProcessSees) {
  sql("CREATE TABLE TARGET_INFO_GPU (id, cuDevice, computeMajor, computeMinor, smCount, "
      "threadsPerWarp, maxWarpsPerSm, maxBlocksPerSm, maxRegistersPerSm, maxShmemPerSm);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 8, 6, 68, 32, 48, 16, 65536, 102400), "
      "(1, 1, 7, 0, 80, 32, 64, 32, 65536, 98304);"
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 9);");
  EXPECT_EQ(
      rows("kernel_occupancy"),
      (Lines{"75.0,75,1,75.0,75.0,registers,12,1.50,50.0,80,1440    1    1, 128    1    1,37,1024,"
             "9,0,f(int)",
             "25.0,25,1,,,,,,,,   1    1    1,  64    1    1,16,0,9,5,f(int)"}));
}

TEST_F(KernelOccupancyTest, OfAGreenContext) {
  sql("CREATE TABLE TARGET_INFO_GPU (id, cuDevice, computeMajor, computeMinor, smCount, "
      "threadsPerWarp, maxWarpsPerSm, maxBlocksPerSm, maxRegistersPerSm, maxShmemPerSm);"
      "INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 7, 0, 80, 32, 64, 32, 65536, 98304);"
      "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (processId, contextId, isGreenContext, "
      "numMultiprocessors);"
      "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (9, 3, 1, 16), (9, 4, 1, NULL), "
      "(8, 5, 1, 8);"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN greenContextId;"
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET greenContextId = 3 WHERE start = 0;");
  const auto first = [&] { return rows("kernel_occupancy").at(0); };
  EXPECT_EQ(first(),
            "75.0,75,1,75.0,75.0,registers,12,7.50,50.0,16,1440    1    1, 128    1    1,37,1024,9,"
            "0,f(int)");
  for (const char* green : {"4", "5", "NULL"}) {
    sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET greenContextId = " + std::string(green));
    EXPECT_NE(first().find(",1.50,50.0,80,"), std::string::npos) << green;
  }
}

TEST_F(KernelOccupancyTest, OfAnOldExport) {
  sql("CREATE TABLE TARGET_INFO_GPU (id, cuDevice, computeMajor, computeMinor, smCount, "
      "threadsPerWarp, maxWarpsPerSm, maxBlocksPerSm, maxRegistersPerSm, maxShmemPerSm);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 5, 8, 6, 68, 32, 48, 16, 65536, 102400);");
  const Lines all = rows("kernel_occupancy");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(
      all[1],
      "25.0,25,1,66.7,4.2,blocks,16,0.00,99.9,68,   1    1    1,  64    1    1,16,0,9,5,f(int)");
}

TEST_F(KernelOccupancyTest, OfTheSharedMemoryThatTheDriverSetApart) {
  sql("CREATE TABLE TARGET_INFO_GPU (id, cuDevice, computeMajor, computeMinor, smCount, "
      "threadsPerWarp, maxWarpsPerSm, maxBlocksPerSm, maxRegistersPerSm, maxShmemPerSm);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 9, 0, 132, 32, 64, 32, 65536, 233472);"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN sharedMemoryExecuted;"
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET sharedMemoryExecuted = 8192, "
      "registersPerThread = 16;");
  EXPECT_NE(rows("kernel_occupancy").at(0).find(",25.0,25.0,shared memory,4,"), std::string::npos);
}

TEST_F(KernelOccupancyTest, RulesByTimeAtStake) {
  sql("CREATE TABLE TARGET_INFO_GPU (id, cuDevice, computeMajor, computeMinor, smCount, "
      "threadsPerWarp, maxWarpsPerSm, maxBlocksPerSm, maxRegistersPerSm, maxShmemPerSm);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 7, 0, 80, 32, 64, 32, 65536, 98304), "
      "(5, 5, 7, 0, 80, 32, 64, 32, 65536, 98304);"
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 20, blockX = 256 WHERE deviceId = 5;");
  EXPECT_EQ(
      rows("kernel_rules"),
      (Lines{"38.0,38,50.00,tail_effect,\"1 full wave of 960 blocks, and a last one that is "
             "50 % full\",75,1,1440    1    1, 128    1    1,9,0,f(int)",
             "19.0,19,25.00,low_occupancy,\"75.0 % occupancy: 12 blocks of 128 threads per "
             "multiprocessor, limited by registers; 5 registers fewer per thread allow "
             "100.0 %\",75,1,1440    1    1, 128    1    1,9,0,f(int)",
             "19.0,19,75.00,small_grids,20 blocks for 80 multiprocessors,25,1,  20    1    1, "
             "256    1    1,9,5,f(int)"}));
}

}  // namespace
}  // namespace prof::stats
