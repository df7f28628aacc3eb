#include "collector/session/targets/capture_switch.hpp"

#include <gtest/gtest.h>

#include "collector/spool/arena.hpp"

namespace prof::session {
namespace {

class CaptureSwitchTest : public ::testing::Test {
 protected:
  CaptureSwitchTest() {
    options_.ranges.enabled = true;
    options_.ranges.count = 2;
  }
  // What a process does at the beginning and the end of a range.
  void begin_range() {
    header_.captures_left.fetch_sub(1);
    header_.capture.store(wire::kCapturing);
  }
  void end_range() { header_.capture.store(wire::kWaiting); }

  SessionOptions options_;
  spool::Arena arena_ = spool::Arena::create({8, 4}, {16, 8}).value();
  wire::ArenaHeader& header_ = *arena_.header();
};

TEST_F(CaptureSwitchTest, FollowsTheRanges) {
  CaptureSwitch captures(options_, header_);
  EXPECT_FALSE(captures.has_captured());
  begin_range();
  EXPECT_TRUE(captures.has_captured());
  end_range();
  EXPECT_TRUE(captures.has_captured());  // since the last call
  EXPECT_FALSE(captures.has_captured());
  EXPECT_FALSE(captures.are_captures_done());
  begin_range();
  end_range();
  EXPECT_TRUE(captures.has_captured());
  EXPECT_EQ(captures.ranges_begun(), 2U);
  EXPECT_TRUE(captures.are_captures_done());
}

TEST_F(CaptureSwitchTest, ProcessesOfASessionOnDemandAreDormantBetweenCollections) {
  options_.ranges = {};
  options_.time.on_demand = true;
  CaptureSwitch captures(options_, header_);
  EXPECT_FALSE(captures.has_captured());
  const std::uint32_t before = header_.collection_edges.load();
  captures.begin_tracing();
  EXPECT_FALSE(captures.has_captured());
  captures.wake_processes();
  EXPECT_TRUE(captures.has_captured());
  captures.quiet_processes();
  EXPECT_FALSE(captures.has_captured());
  EXPECT_EQ(header_.collection_edges.load(), before + 2);
}

TEST_F(CaptureSwitchTest, EachCollectionHasItsOwnRanges) {
  options_.time.on_demand = true;
  CaptureSwitch captures(options_, header_);
  for (int collection = 0; collection < 2; ++collection) {
    captures.begin_tracing();
    EXPECT_EQ(captures.ranges_begun(), 0U);
    begin_range();
    EXPECT_EQ(captures.ranges_begun(), 1U);
    captures.end_ranges();
    EXPECT_EQ(header_.capture.load(), wire::kWaiting);
    EXPECT_EQ(header_.captures_left.load(), 0U);
  }
}

TEST_F(CaptureSwitchTest, ACollectionAtStepsIsOneRange) {
  options_.ranges = {};
  options_.time.on_demand = true;
  CaptureSwitch captures(options_, header_);
  CaptureRangeOptions steps;
  steps.enabled = steps.by_nvtx = true;
  steps.at_step = StepRequest{7, 0, 3};
  steps.count = 1;
  captures.begin_tracing(steps);
  EXPECT_EQ(header_.triggers.load(), wire::kNvtxTrigger | wire::kStepTrigger);
  EXPECT_EQ(header_.first_step.load(), 7U);
  EXPECT_EQ(header_.last_step.load(), 9U);
  EXPECT_FALSE(captures.are_captures_done() || captures.has_captured());
  begin_range();
  end_range();
  EXPECT_TRUE(captures.has_captured() && captures.are_captures_done());
  captures.end_ranges();
  captures.begin_tracing();
  EXPECT_EQ(captures.ranges_begun(), 0U);
  EXPECT_FALSE(captures.are_captures_done());
}

}  // namespace
}  // namespace prof::session
