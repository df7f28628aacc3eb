#include "exporters/analysis/events/memory/memory_operations.hpp"

#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::events {
namespace {

class MemoryOperationsTest : public test::ReportFixture {};

TEST(MemoryOperationName, OfEveryKind) {
  EXPECT_EQ(memory_operation_name(1), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(memory_operation_name(10), "[CUDA memcpy Peer-to-Peer]");
  EXPECT_EQ(memory_operation_name(13), "[CUDA memcpy Unified Device-to-Device]");
  EXPECT_EQ(memory_operation_name(99), "[CUDA memcpy Unknown]");
  EXPECT_EQ(memory_operation_name(kMemset), "[CUDA memset]");
  EXPECT_STREQ(memory_kind_name(0), "Pageable");
  EXPECT_STREQ(memory_kind_name(-1), "Unknown");
}

TEST_F(MemoryOperationsTest, EitherTableMayBeMissing) {
  sql("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, bytes, deviceId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (0, 10, 1000, 0), (0, 20, 3002000, 0);");
  const auto file = reader();
  EXPECT_EQ(lines(stats::cuda_gpu_mem_time_sum(file, {}))[1],
            "100.0,30,2,15.0,15.0,10,20,7.1,[CUDA memset]");
  EXPECT_EQ(lines(stats::cuda_gpu_mem_size_sum(file, {}))[1],
            "3.003,2,1.502,1.502,0.001,3.002,2.122,[CUDA memset]");
}

}  // namespace
}  // namespace prof::events
