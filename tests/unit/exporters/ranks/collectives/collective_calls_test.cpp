#include "exporters/ranks/collectives/collective_calls.hpp"

#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::ranks {
namespace {

using test::global_id;

class CollectiveCallsTest : public test::GpuFixture {
 protected:
  ReportCalls calls(CallDetails details = CallDetails::kLaunches) {
    const auto file = reader();
    const std::vector<ReportRank> ranks{{{"7", 3, "node", ""}, 0, {}, {}}};
    auto result = read_collective_calls(file, ranks, details);
    EXPECT_TRUE(result);
    return std::move(*result);
  }
  void nccl_kernels() {
    sql("INSERT INTO StringIds VALUES (9, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)'), "
        "(10, 'ncclDevKernel_Broadcast_RING_LL(x)'), (11, 'ncclDevKernel_SendRecv(x)');");
    create_api();
  }
  void range(int start, int end, const char* name, const std::string& fields) {
    sql(
        fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, 59, '{}', NULL, {}, NULL, 1, "
                    "'{{\"NCCL communicator ID\":255,{}}}');",
                    start, end, name, global_id(9, 9), fields));
  }
};

TEST_F(CollectiveCallsTest, KernelsOfEachStreamAreACommunicator) {
  nccl_kernels();
  for (int i = 0; i < 4; ++i) {
    const int start = 100 * (i + 1);
    add_call(start, start + 10, 9, i + 1);
    add({.start = start + 20,
         .end = start + 50,
         .correlation = i + 1,
         .stream = i < 3 ? 14 : 15,
         .name = i == 1   ? 10
                 : i == 2 ? 11
                          : 9});
  }
  sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = demangledName;");
  const ReportCalls found = calls();
  ASSERT_EQ(found.sequences.size(), 2U);
  const CallSequence& first = found.sequences[0];
  EXPECT_EQ(first.communicator, "7/0");
  EXPECT_EQ(first.source, CallSource::kKernels);
  ASSERT_EQ(first.calls.size(), 2U);  // without the message
  EXPECT_EQ(first.operations, (std::vector<std::string>{"AllReduce", "Broadcast"}));
  EXPECT_EQ(first.calls[0].call_start, 100);
  EXPECT_EQ(first.calls[0].call_end, 110);
  EXPECT_EQ(first.calls[0].start, 120);
  EXPECT_EQ(first.calls[0].global_tid, global_id(9, 9));
  EXPECT_TRUE(first.calls[0].ends_together);
  EXPECT_FALSE(first.calls[1].ends_together);
  EXPECT_EQ(found.sequences[1].communicator, "7/1");
  EXPECT_EQ(found.sequences[1].calls[0].letter, first.calls[0].letter);
  EXPECT_EQ(calls(CallDetails::kKernels).sequences[0].calls[0].call_start, 0);
}

TEST_F(CollectiveCallsTest, PayloadsHaveTheCommunicatorAndAGroupIsOneCall) {
  nccl_kernels();
  sql("CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid, endGlobalTid, "
      "domainId, jsonText);");
  sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES (0,NULL,75,'NCCL',NULL,{},NULL,1,NULL);",
                  global_id(9, 9)));
  range(1, 2, "ncclCommInitRankConfig", R"("No. of ranks":4,"Rank":3)");
  range(100, 120, "ncclAllReduce", R"("Message size [bytes]":1000)");
  add_call(105, 110, 9, 1);
  add({.start = 130, .end = 150, .correlation = 1, .name = 9});
  range(200, 201, "ncclAllReduce", R"("Message size [bytes]":64)");
  range(202, 203, "ncclAllReduce", R"("Message size [bytes]":32)");
  sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES (204,220,59,'ncclGroupEnd',NULL,{},NULL,1,NULL);",
                  global_id(9, 9)));
  add_call(205, 210, 9, 2);
  add({.start = 230, .end = 250, .correlation = 2, .name = 9});
  range(300, 310, "ncclAllGather", R"("Message size [bytes]":8)");  // its kernel is not there
  const ReportCalls found = calls();
  EXPECT_EQ(found.without_kernel, 1U);
  ASSERT_EQ(found.sequences.size(), 1U);
  const CallSequence& sequence = found.sequences[0];
  EXPECT_EQ(sequence.communicator, "7/0xff");
  EXPECT_EQ(sequence.source, CallSource::kPayloads);
  EXPECT_EQ(sequence.ranks, 4);
  ASSERT_EQ(sequence.calls.size(), 2U);
  EXPECT_EQ(sequence.calls[0].bytes, 1000);
  EXPECT_EQ(sequence.calls[0].end, 150);
  EXPECT_EQ(sequence.calls[1].bytes, 96);
  EXPECT_EQ(sequence.calls[1].start, 230);
}

TEST_F(CollectiveCallsTest, MessagesOfNcclAreApart) {
  nccl_kernels();
  sql("CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid, endGlobalTid, "
      "domainId, jsonText);");
  sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES (0,NULL,75,'NCCL',NULL,{},NULL,1,NULL);",
                  global_id(9, 9)));
  range(1, 2, "ncclCommInitRankConfig", R"("No. of ranks":4,"Rank":3)");
  range(100, 120, "ncclSend", R"("Message size [bytes]":1000,"Peer rank":2)");
  add_call(105, 110, 9, 1);
  add({.start = 130, .end = 150, .correlation = 1, .name = 11});
  range(200, 220, "ncclRecv", R"("Message size [bytes]":8,"Peer rank":0)");  // without a kernel
  const ReportCalls found = calls();
  EXPECT_TRUE(found.sequences.empty());
  EXPECT_EQ(found.without_kernel, 0U);
  ASSERT_EQ(found.nccl_messages.size(), 1U);
  const insight::CollectiveCall& sent = found.nccl_messages[0];
  EXPECT_EQ(sent.name, "Send");
  EXPECT_EQ(sent.own_rank, 3);
  EXPECT_EQ(sent.peer, 2);
  EXPECT_EQ(sent.gpu_start, 130);
}

TEST_F(CollectiveCallsTest, CallsOfMpiHaveACommunicatorThatAllRanksKnow) {
  sql("INSERT INTO StringIds VALUES (9, 'MPI_Allreduce'), (10, 'MPI_Bcast');"
      "CREATE TABLE MPI_COLLECTIVES_EVENTS (start, end, globalTid, textId, commHandle, rootRank, "
      "size, recvSize, requestHandle);"
      "CREATE TABLE MPI_RANKS (globalTid, rank);"
      "CREATE TABLE MPI_COMMUNICATORS (rank, timestamp, commHandle, parentHandle, localRank, size, "
      "groupRoot, groupRootUid, members);"
      "INSERT INTO MPI_COMMUNICATORS VALUES (3, 1, 77, 0, 3, 4, 0, 2, NULL);");
  sql(fmt::format("INSERT INTO MPI_RANKS VALUES ({}, 3);", global_id(9, 9)));
  for (const char* row :
       {"10, 20, {}, 9, 77, NULL, 8, 8, NULL", "30, 40, {}, 10, 77, 0, 0, 8, NULL",
        "50, NULL, {}, 9, 77, NULL, 8, 8, NULL"})
    sql("INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (" +
        fmt::format(fmt::runtime(row), global_id(9, 9)) + ");");
  const ReportCalls found = calls();
  ASSERT_EQ(found.sequences.size(), 1U);
  const CallSequence& sequence = found.sequences[0];
  EXPECT_EQ(sequence.communicator, "7/MPI all.0");
  EXPECT_EQ(sequence.source, CallSource::kMpi);
  EXPECT_EQ(sequence.ranks, 4);
  EXPECT_EQ(sequence.operations, (std::vector<std::string>{"Allreduce", "Bcast"}));
  ASSERT_EQ(sequence.calls.size(), 2U);  // without the call that has not ended
  EXPECT_EQ(sequence.calls[0].start, 10);
  EXPECT_EQ(sequence.calls[0].bytes, 8);
}

TEST_F(CollectiveCallsTest, FunctionsOfTorchOnCpus) {
  create_ranges();
  sql("INSERT INTO StringIds VALUES (9, 'torch.distributed.distributed_c10d.all_reduce'), "
      "(10, 'torch.distributed.distributed_c10d.broadcast'), "
      "(11, 'torch.distributed.distributed_c10d.init_process_group');");
  for (const auto& [start, name] : {std::pair(100, 11), {400, 10}, {200, 9}, {300, 9}})
    sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({},{},59,NULL,{},{},1,NULL);", start,
                    start + 50, name, global_id(9, 9)));
  const ReportCalls found = calls();
  ASSERT_EQ(found.sequences.size(), 1U);
  const CallSequence& sequence = found.sequences[0];
  EXPECT_EQ(sequence.communicator, "7/torch.distributed");
  EXPECT_EQ(sequence.operations, (std::vector<std::string>{"all_reduce", "broadcast"}));
  ASSERT_EQ(sequence.calls.size(), 3U);
  EXPECT_EQ(sequence.calls[0].start, 200);
  EXPECT_EQ(sequence.calls[0].end, 250);
  EXPECT_TRUE(sequence.calls[0].ends_together);
  EXPECT_FALSE(sequence.calls[2].ends_together);
  EXPECT_NE(sequence.calls[0].letter, sequence.calls[2].letter);

  // On GPUs they only launch.
  create_api();
  add_call(0, 1, 9, 1);
  EXPECT_TRUE(calls().sequences.empty());
}

}  // namespace
}  // namespace prof::ranks
