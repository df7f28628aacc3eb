#include "exporters/analysis/events/nvtx/launch_ranges.hpp"

#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::events {
namespace {

class LaunchRangesTest : public test::ReportFixture {
 protected:
  LaunchRangesTest() { create_api(); }
  // Name of the range around a call of process 9, or "".
  std::string around(std::int64_t correlation, std::int64_t pid = 9) {
    const auto file = reader();
    const auto ranges = LaunchRanges::read(file);
    if (!ranges) return ranges.error().message;
    const std::int32_t range = ranges->around(test::global_id(pid, 0), correlation);
    return range == LaunchRanges::kNone ? "" : ranges->text(range);
  }
};

TEST_F(LaunchRangesTest, NoRanges) {
  add_call(10, 20, 9, 1);
  EXPECT_EQ(around(1), "");
}

TEST_F(LaunchRangesTest, TheInnermostThatHoldsTheWholeCall) {
  create_ranges();
  add_range(0, "100", 9, "outer");
  add_range(10, "40", 9, "inner");
  add_range(12, "18", 9, "over");
  add_range(50, "60", 9, "late");
  add_call(5, 8, 9, 1);
  add_call(20, 30, 9, 2);
  add_call(35, 45, 9, 3);
  add_call(50, 60, 9, 4);
  add_call(90, 101, 9, 5);
  EXPECT_EQ(around(1), "outer");
  EXPECT_EQ(around(2), "inner");
  EXPECT_EQ(around(3), "outer");
  EXPECT_EQ(around(4), "late");
  EXPECT_EQ(around(5), "");
  EXPECT_EQ(around(6), "");
}

TEST_F(LaunchRangesTest, OfTwoThatBeginTogetherTheShorter) {
  create_ranges();
  add_range(0, "50", 9, "short");
  add_range(0, "100", 9, "long");
  add_call(5, 8, 9, 1);
  EXPECT_EQ(around(1), "short");
}

TEST_F(LaunchRangesTest, OverlappingRangesOfTwoDomains) {
  create_ranges();
  add_range(0, "60", 9, "first");
  add_range(10, "100", 9, "second");
  add_range(55, "58", 9, "third");
  add_call(30, 40, 9, 1);
  add_call(56, 59, 9, 2);
  add_call(56, 61, 9, 3);
  add_call(70, 80, 9, 4);
  EXPECT_EQ(around(1), "second");
  EXPECT_EQ(around(2), "second");
  EXPECT_EQ(around(3), "second");
  EXPECT_EQ(around(4), "second");
}

TEST_F(LaunchRangesTest, OfTheCallsThreadOnly) {
  create_ranges();
  add_range(0, "100", 8, "other");
  add_range(0, "NULL", 9, "unfinished");
  add_call(5, 8, 9, 1);
  add_call(5, 8, 8, 1);
  EXPECT_EQ(around(1, 9), "unfinished");  // it counts up to the latest time
  EXPECT_EQ(around(1, 8), "other");
}

}  // namespace
}  // namespace prof::events
