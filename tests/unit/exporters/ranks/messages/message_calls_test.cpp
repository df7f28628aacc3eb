#include "exporters/ranks/messages/message_calls.hpp"

#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::ranks {
namespace {

using test::global_id;

class MessageCallsTest : public test::GpuFixture {
 protected:
  void SetUp() override {
    GpuFixture::SetUp();
    sql("INSERT INTO StringIds VALUES (20, 'MPI_Send'), (21, 'MPI_Recv'), (22, 'MPI_Isend'), "
        "(23, 'MPI_Irecv'), (24, 'MPI_Sendrecv'), (25, 'MPI_Recv_init'), (26, 'MPI_Start'), "
        "(27, 'MPI_Wait'), (28, 'MPI_Test');"
        "CREATE TABLE MPI_P2P_EVENTS (start, end, globalTid, textId, commHandle, tag, remoteRank, "
        "size, requestHandle);"
        "CREATE TABLE MPI_START_WAIT_EVENTS (start, end, globalTid, textId, requestHandle);"
        "CREATE TABLE MPI_RANKS (globalTid, rank);"
        "CREATE TABLE MPI_COMMUNICATORS (rank, timestamp, commHandle, parentHandle, localRank, "
        "size, "
        "groupRoot, groupRootUid, members);"
        "INSERT INTO MPI_COMMUNICATORS VALUES (3, 1, 77, 0, 3, 4, NULL, NULL, NULL), "
        "(3, 2, 78, 77, NULL, NULL, NULL, NULL, NULL), (3, 3, 79, 77, 1, 2, 1, 0, NULL);");
    sql(fmt::format("INSERT INTO MPI_RANKS VALUES ({}, 3);", global_id(9, 9)));
  }
  void message(int start, int end, int name, const char* rest) {
    sql(fmt::format("INSERT INTO MPI_P2P_EVENTS VALUES ({}, {}, {}, {}, {});", start, end,
                    global_id(9, 9), name, rest));
  }
  void request(int start, int end, int name, int handle) {
    sql(fmt::format("INSERT INTO MPI_START_WAIT_EVENTS VALUES ({}, {}, {}, {}, {});", start, end,
                    global_id(9, 10), name, handle));
  }
  ReportMessages messages(const std::vector<insight::CollectiveCall>& nccl = {}) {
    const auto file = reader();
    const std::vector<ReportRank> ranks{{{"7", 3, "node", ""}, 2, {}, {}}};
    auto result = read_messages(file, ranks, nccl);
    EXPECT_TRUE(result);
    return std::move(*result);
  }
};

TEST_F(MessageCallsTest, TheMessagesOfADirectionAreInTheOrderOfTheirCalls) {
  message(30, 40, 20, "77, 5, 1, 8, NULL");
  message(10, 20, 20, "77, 5, 1, 4, NULL");
  message(50, 60, 20, "77, 6, 1, 4, NULL");
  message(70, 80, 21, "79, 5, 0, 4, NULL");
  const ReportMessages found = messages();
  ASSERT_EQ(found.sequences.size(), 3U);
  const MessageSequence& received = found.sequences[0];
  EXPECT_EQ(received.communicator, "7/2/MPI 1.0");
  EXPECT_FALSE(received.is_send);
  EXPECT_EQ(received.own, 1);
  EXPECT_EQ(received.peer, 0);
  const MessageSequence& sent = found.sequences[1];
  EXPECT_EQ(sent.communicator, "7/2/MPI all.0");
  EXPECT_TRUE(sent.is_send);
  EXPECT_EQ(sent.own, 3);
  EXPECT_EQ(sent.tag, 5);
  ASSERT_EQ(sent.messages.size(), 2U);
  EXPECT_EQ(sent.messages[0].start, 10);
  EXPECT_EQ(sent.messages[0].end, 20);
  EXPECT_EQ(sent.messages[1].bytes, 8);
  EXPECT_EQ(found.sequences[2].tag, 6);
}

TEST_F(MessageCallsTest, ARequestIsDoneInTheLastCallThatAsksForIt) {
  message(10, 11, 23, "77, 5, 1, 4, 900");
  request(20, 21, 28, 900);
  request(30, 31, 28, 900);
  message(40, 41, 22, "77, 5, 1, 4, 900");  // the handle is used again
  request(50, 70, 27, 900);
  message(80, 81, 23, "77, 5, 1, 4, 901");  // nobody asks for it
  const ReportMessages found = messages();
  ASSERT_EQ(found.sequences.size(), 2U);
  const std::vector<Message>& received = found.sequences[0].messages;
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[0].start, 10);
  EXPECT_EQ(received[0].wait_start, 30);
  EXPECT_EQ(received[0].end, 31);
  EXPECT_EQ(received[0].start_tid, global_id(9, 9));
  EXPECT_EQ(received[0].wait_tid, global_id(9, 10));
  EXPECT_EQ(received[1].end, 81);
  const std::vector<Message>& sent = found.sequences[1].messages;
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].wait_start, 50);
}

TEST_F(MessageCallsTest, EachStartOfAPersistentRequestIsAMessage) {
  message(10, 11, 25, "78, 5, 1, 4, 900");
  request(20, 21, 26, 900);
  request(30, 40, 27, 900);
  request(50, 51, 26, 900);
  request(60, 70, 27, 900);
  const ReportMessages found = messages();
  ASSERT_EQ(found.sequences.size(), 1U);
  EXPECT_EQ(found.sequences[0].communicator, "7/2/MPI all.1");
  EXPECT_EQ(found.sequences[0].own, 3);  // as in the communicator that was copied
  const std::vector<Message>& received = found.sequences[0].messages;
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[0].start, 20);
  EXPECT_EQ(received[0].end, 40);
  EXPECT_EQ(received[1].start, 50);
}

TEST_F(MessageCallsTest, BothHalvesOfAnExchangeAreMessages) {
  message(10, 10, 24, "77, 5, 1, 4, NULL");
  message(10, 20, 24, "77, 6, 2, 4, NULL");
  message(30, 40, 24, "77, 7, 1, 4, NULL");  // one row for both
  const ReportMessages found = messages();
  ASSERT_EQ(found.sequences.size(), 4U);
  EXPECT_FALSE(found.sequences[0].is_send);
  EXPECT_EQ(found.sequences[0].tag, 7);
  EXPECT_EQ(found.sequences[1].tag, 6);
  EXPECT_EQ(found.sequences[1].messages[0].end, 20);
  EXPECT_TRUE(found.sequences[2].is_send);
  EXPECT_EQ(found.sequences[2].tag, 5);
  EXPECT_EQ(found.sequences[3].messages[0].end, 30);
}

TEST_F(MessageCallsTest, WhatAWildcardReceivedIsMissing) {
  message(10, 20, 23, "77, NULL, NULL, 4, 900");
  message(30, 40, 21, "77, 5, 1, 4, NULL");
  message(50, 60, 21, "79, 5, 0, 4, NULL");
  const ReportMessages found = messages();
  EXPECT_EQ(found.unknown, 1U);
  ASSERT_EQ(found.sequences.size(), 2U);
  EXPECT_FALSE(found.sequences[0].has_gaps);  // another communicator
  EXPECT_TRUE(found.sequences[1].has_gaps);
}

TEST_F(MessageCallsTest, MessagesOfNcclHaveTheTimesOfTheirKernels) {
  insight::CollectiveCall call{};
  call.name = "Recv";
  call.communicator = 255;
  call.bytes = 64;
  call.global_tid = global_id(9, 9);
  call.gpu_start = 100;
  call.gpu_end = 120;
  call.own_rank = 3;
  call.peer = 0;
  insight::CollectiveCall of_nobody = call;
  of_nobody.peer = -1;
  const ReportMessages found = messages({call, of_nobody});
  EXPECT_EQ(found.unknown, 1U);
  ASSERT_EQ(found.sequences.size(), 1U);
  EXPECT_EQ(found.sequences[0].communicator, "7/2/0xff");
  EXPECT_EQ(found.sequences[0].source, CallSource::kPayloads);
  EXPECT_EQ(found.sequences[0].messages[0].end, 120);
}

}  // namespace
}  // namespace prof::ranks
