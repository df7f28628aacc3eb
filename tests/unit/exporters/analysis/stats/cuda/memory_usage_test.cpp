#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::stats {
namespace {

// ENUM_CUDA_DEV_MEM_EVENT_OPER and ENUM_CUDA_MEM_KIND
constexpr int kAllocate = 0;
constexpr int kFree = 1;
constexpr int kPinned = 1;
constexpr int kDevice = 2;

class MemoryUsageTest : public test::GpuFixture {
 protected:
  MemoryUsageTest() {
    sql("CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, contextId, "
        "address, bytes, memKind, memoryOperationType, name, localMemoryPoolAddress, "
        "localMemoryPoolSize, localMemoryPoolUtilizedSize, importedMemoryPoolAddress);");
    event(10, kAllocate, 0x100, 100);
    event(20, kAllocate, 0x200, 200);
    event(30, kFree, 0x100, 100);
    event(40, kAllocate, 0x300, 50, kDevice, "NULL, 768, 1000, 50, NULL");
    event(50, kFree, 0x900, 4000);    // allocated before the recording
    event(60, kAllocate, 0x200, 10);  // its release was not recorded
    event(70, kAllocate, 0x400, 5000, kDevice, "NULL, NULL, NULL, NULL, 768");
    event(80, kAllocate, 0x500, 7, kPinned, "'buffer', NULL, NULL, NULL, NULL");
  }
  void event(std::int64_t start, int operation, std::int64_t address, std::int64_t bytes,
             int kind = kDevice, const char* rest = "NULL, NULL, NULL, NULL, NULL") {
    sql(fmt::format("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES ({},{},0,1,{},{},{},{},{});",
                    start, test::global_id(9, 0), address, bytes, kind, operation, rest));
  }
};

TEST_F(MemoryUsageTest, PeakAndRest) {
  EXPECT_EQ(rows("memory_usage"),
            (Lines{"300,20,4,2,360,60,9,0,Device", "7,80,1,0,7,7,9,0,Pinned"}));
}

TEST_F(MemoryUsageTest, AfterEachChange) {
  EXPECT_EQ(rows("memory_usage_trace"),
            (Lines{"10,100,100,Device,0,9,", "20,200,300,Device,0,9,", "30,-100,200,Device,0,9,",
                   "40,50,250,Device,0,9,", "60,-200,50,Device,0,9,", "60,10,60,Device,0,9,",
                   "80,7,7,Pinned,0,9,buffer"}));
}

}  // namespace
}  // namespace prof::stats
