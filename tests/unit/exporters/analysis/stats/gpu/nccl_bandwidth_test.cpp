#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::stats {
namespace {

using test::global_id;

// Two ranks, processes 9 and 10, of one communicator.
class NcclBandwidthTest : public test::GpuFixture {
 protected:
  NcclBandwidthTest() {
    sql("INSERT INTO StringIds VALUES (9, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL');"
        "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid, endGlobalTid, "
        "domainId, jsonText);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, "
        "correlationId, nameId, returnValue, callchainId);");
    for (const int pid : {9, 10}) {
      sql(
          fmt::format("INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'NCCL', NULL, {}, NULL, 1, "
                      "NULL);",
                      global_id(pid, pid)));
      range(pid, 1, 2, "ncclCommInitRankConfig",
            fmt::format(R"("No. of ranks":4,"Rank":{})", pid - 9));
    }
  }

  void range(std::int64_t pid, int start, int end, const char* name, const std::string& fields) {
    sql(
        fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, 59, '{}', NULL, {}, NULL, 1, "
                    "'{{\"NCCL communicator ID\":18446744073709551615,{}}}');",
                    start, end, name, global_id(pid, pid), fields));
  }
  // A call of NCCL that launches a kernel.
  void call(std::int64_t pid, int start, const char* name, std::int64_t bytes, int kernel_start,
            int kernel_end) {
    range(pid, start, start + 10, name, fmt::format(R"("Message size [bytes]":{})", bytes));
    launch(pid, start + 5, kernel_start, kernel_end);
  }
  void launch(std::int64_t pid, int time, int kernel_start, int kernel_end) {
    sql(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({},{},0,{},{},2,0,0);", time,
                    time + 1, global_id(pid, pid), ++correlation_));
    add({.start = kernel_start,
         .end = kernel_end,
         .correlation = correlation_,
         .name = 9,
         .pid = pid});
  }

 private:
  int correlation_ = 0;
};

TEST_F(NcclBandwidthTest, BandwidthsAsNcclTestsComputeThem) {
  call(9, 10, "ncclAllReduce", 1000, 100, 200);
  call(9, 30, "ncclAllGather", 1000, 300, 400);
  call(9, 50, "ncclBroadcast", 1000, 500, 600);
  // All-reduce: 1000 B in 100 ns, times 2 * 3 / 4. All-gather: the size is that of all four ranks.
  EXPECT_EQ(rows("nccl_bandwidth"),
            (Lines{"100,1,1000,100.0,40.00,30.00,30.00,,4,AllGather,0xffffffffffffffff",
                   "100,1,1000,100.0,10.00,15.00,15.00,,4,AllReduce,0xffffffffffffffff",
                   "100,1,1000,100.0,10.00,10.00,10.00,,4,Broadcast,0xffffffffffffffff"}));
}

TEST_F(NcclBandwidthTest, TheShortestKernelOfAllRanksCounts) {
  call(9, 10, "ncclAllReduce", 1000, 100, 300);  // waits for the other
  call(10, 10, "ncclAllReduce", 1000, 200, 300);
  call(9, 30, "ncclAllReduce", 1000, 400, 450);
  call(10, 30, "ncclAllReduce", 1000, 300, 450);
  EXPECT_EQ(rows("nccl_bandwidth"),
            Lines{"150,4,1000,75.0,13.33,20.00,30.00,100.0,4,AllReduce,0xffffffffffffffff"});
}

TEST_F(NcclBandwidthTest, CallsOfAGroupShareItsKernel) {
  range(9, 10, 11, "ncclSend", R"("Message size [bytes]":1000)");
  range(9, 12, 13, "ncclRecv", R"("Message size [bytes]":3000)");
  sql(
      fmt::format("INSERT INTO NVTX_EVENTS VALUES (14, 20, 59, 'ncclGroupEnd', NULL, {}, NULL, 1, "
                  "NULL);",
                  global_id(9, 9)));
  launch(9, 15, 100, 500);
  EXPECT_EQ(rows("nccl_bandwidth"),
            (Lines{"300,1,3000,300.0,10.00,10.00,10.00,,4,Recv,0xffffffffffffffff",
                   "100,1,1000,100.0,10.00,10.00,10.00,,4,Send,0xffffffffffffffff"}));
}

TEST_F(NcclBandwidthTest, WithoutKernelsThereAreOnlySizes) {
  range(9, 10, 11, "ncclReduce", R"("Message size [bytes]":1000)");
  EXPECT_EQ(rows("nccl_bandwidth"), Lines{",1,1000,,,,,,4,Reduce,0xffffffffffffffff"});
}

TEST_F(NcclBandwidthTest, SumsOfPayloads) {
  range(9, 10, 20, "step", R"("loss":2.5,"sizes":[1,3],"name":"x")");
  range(9, 30, 40, "step", R"("loss":1.5)");
  const Lines found = rows("nvtx_payload_sum");
  ASSERT_GE(found.size(), 2);
  EXPECT_EQ(Lines(found.end() - 2, found.end()),
            (Lines{"2,4.00,2.00,2.00,1.50,2.50,0.71,200000000.00,loss,PushPop,NCCL:step",
                   "2,4.00,2.00,2.00,1.00,3.00,1.41,400000000.00,sizes,PushPop,NCCL:step"}));
}

}  // namespace
}  // namespace prof::stats
