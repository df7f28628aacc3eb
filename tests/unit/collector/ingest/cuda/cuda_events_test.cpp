#include "collector/ingest/cuda/cuda_events.hpp"

#include <gtest/gtest.h>

namespace prof::ingest {
namespace {

using wire::CudaEventOp;

constexpr std::uint64_t kA = 0xa0;
constexpr std::uint64_t kB = 0xb0;

class CudaEventsTest : public testing::Test {
 protected:
  void op(CudaEventOp op, std::uint64_t time, std::uint64_t event,
          std::uint32_t stream = wire::kNoCudaId, std::uint32_t serial = 1) {
    wire::CudaEventRecord record{};
    record.header.flags = static_cast<std::uint8_t>(op);
    record.time = time;
    record.event = event;
    record.context = 1;
    record.stream = stream;
    events_.add(serial, record);
  }
  void wait(std::uint64_t time, std::uint64_t event, std::uint32_t stream = wire::kNoCudaId) {
    wire::CudaSyncRecord record{};
    record.start = time;
    record.event = event;
    record.stream = stream;
    events_.add(1, record);
  }
  CudaEvents events_{std::pmr::get_default_resource()};
};

TEST_F(CudaEventsTest, AnEventIsAsOfTheLastRecordingBeforeInWhateverOrderThreadsTold) {
  op(CudaEventOp::kRecorded, 30, kA, 7);
  op(CudaEventOp::kRecorded, 20, kA, 7);
  op(CudaEventOp::kCreated, 10, kA);
  op(CudaEventOp::kCreated, 5, kB);
  EXPECT_EQ(events_.at(1, kB, 100).id, 1U);
  EXPECT_EQ(events_.at(1, kA, 15).id, 2U);
  EXPECT_EQ(events_.at(1, kA, 15).recording, 0U);
  EXPECT_EQ(events_.at(1, kA, 20).recording, 1U);
  EXPECT_EQ(events_.at(1, kA, 29).recording, 1U);
  EXPECT_EQ(events_.at(1, kA, 31).recording, 2U);
}

TEST_F(CudaEventsTest, AHandleThatComesAgainIsAnotherEvent) {
  op(CudaEventOp::kCreated, 10, kA);
  op(CudaEventOp::kRecorded, 20, kA, 7);
  op(CudaEventOp::kCreated, 30, kA);
  EXPECT_EQ(events_.at(1, kA, 25).id, 1U);
  EXPECT_EQ(events_.at(1, kA, 35).id, 2U);
  EXPECT_EQ(events_.at(1, kA, 35).recording, 0U);
}

TEST_F(CudaEventsTest, AnEventThatWasNotSeenBeingMadeHasAnIdButNoKnownRecording) {
  wait(10, kA);
  wait(20, kA);
  EXPECT_EQ(events_.at(1, kA, 10).id, 1U);
  EXPECT_EQ(events_.at(1, kA, 20).id, 1U);
  EXPECT_EQ(events_.at(1, kA, 20).recording, wire::kNoCudaId);
  EXPECT_EQ(events_.at(1, kB, 20).id, wire::kNoCudaId);
}

TEST_F(CudaEventsTest, ProcessesHaveEventsOfTheirOwn) {
  op(CudaEventOp::kCreated, 10, kA, wire::kNoCudaId, 1);
  op(CudaEventOp::kRecorded, 20, kA, 7, 1);
  op(CudaEventOp::kCreated, 11, kA, wire::kNoCudaId, 2);
  EXPECT_EQ(events_.at(1, kA, 50).recording, 1U);
  EXPECT_EQ(events_.at(2, kA, 50).recording, 0U);
  EXPECT_EQ(events_.at(3, kA, 50).id, wire::kNoCudaId);
}

TEST_F(CudaEventsTest, WhatIsRecordedInACaptureBelongsToTheGraph) {
  op(CudaEventOp::kCreated, 1, kA);
  op(CudaEventOp::kRecorded, 2, kA, 7);
  op(CudaEventOp::kCaptureBegun, 10, 0, 7);
  op(CudaEventOp::kRecorded, 11, kA, 7);
  wait(12, kA, 9);  // stream 9 joins
  op(CudaEventOp::kRecorded, 13, kB, 9);
  op(CudaEventOp::kRecorded, 14, kB, 5);  // stream 5 has not joined
  op(CudaEventOp::kCaptureEnded, 20, 0, 7);
  op(CudaEventOp::kRecorded, 21, kA, 9);
  EXPECT_FALSE(events_.at(1, kA, 2).in_graph);
  EXPECT_TRUE(events_.at(1, kA, 11).in_graph);
  EXPECT_EQ(events_.at(1, kA, 11).recording, 1U);
  EXPECT_TRUE(events_.at(1, kB, 13).in_graph);
  EXPECT_FALSE(events_.at(1, kB, 14).in_graph);
  EXPECT_FALSE(events_.at(1, kA, 21).in_graph);
  EXPECT_EQ(events_.at(1, kA, 21).recording, 3U);
}

TEST_F(CudaEventsTest, AnUnknownOperationIsPassedOver) {
  op(CudaEventOp::kCount, 10, kA, 7);
  EXPECT_EQ(events_.at(1, kA, 20).id, wire::kNoCudaId);
}

}  // namespace
}  // namespace prof::ingest
