#include "exporters/analysis/events/nvtx/launch_ranges.hpp"

#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::events {
namespace {

class LaunchRangesTest : public test::ReportFixture {
 protected:
  LaunchRangesTest() { create_api(); }
  struct Range {
    std::int64_t start;
    const char* end;
    const char* name;
  };
  struct Call {
    std::int64_t start;
    std::int64_t end;
    const char* range;  // the name of the range around it, or ""
  };
  // Adds ranges and calls of one thread, and looks for the range around each call.
  void check(const std::vector<Range>& ranges, const std::vector<Call>& calls) {
    create_ranges();
    for (const Range& range : ranges) add_range(range.start, range.end, 9, range.name);
    std::int64_t correlation = 0;
    for (const Call& call : calls) add_call(call.start, call.end, 9, ++correlation);
    correlation = 0;
    for (const Call& call : calls)
      EXPECT_EQ(around(++correlation), call.range) << call.start << " to " << call.end;
  }
  // Name of the range around a call of process 9, or "".
  std::string around(std::int64_t correlation, std::int64_t pid = 9, std::int64_t node = 0,
                     RangeOf range_of = RangeOf::kBoth) {
    const auto file = reader();
    const auto ranges = LaunchRanges::read(file, range_of);
    if (!ranges) return ranges.error().message;
    const std::int32_t range = ranges->of(test::global_id(pid, 0), correlation, node);
    return range == LaunchRanges::kNone ? "" : ranges->text(range);
  }
};

TEST_F(LaunchRangesTest, TheRangeOfTheCaptureIsInsideOfTheRangeOfTheLaunch) {
  check({{0, "100", "capture"}, {200, "300", "replay"}}, {{220, 230, "replay"}});
  const std::string thread = std::to_string(test::global_id(9, 9));
  sql("CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start, end, globalTid, graphNodeId, "
      "originalGraphNodeId); INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (50,50," +
      thread + ",1,NULL),(110,110," + thread + ",2,1),(110,110," + thread + ",4,3)");
  EXPECT_EQ(around(1, 9, 2), "capture");
  EXPECT_EQ(around(1, 9, 2, RangeOf::kLaunch), "replay");
  EXPECT_EQ(around(1, 9, 4), "replay");  // where its original was made is not known
  EXPECT_EQ(around(1, 9, 4, RangeOf::kCapture), "");
  EXPECT_EQ(around(1, 9, 0, RangeOf::kCapture), "replay");
}

TEST_F(LaunchRangesTest, NoRanges) {
  add_call(10, 20, 9, 1);
  EXPECT_EQ(around(1), "");
}

TEST_F(LaunchRangesTest, TheInnermostThatHoldsTheWholeCall) {
  check({{0, "100", "outer"}, {10, "40", "inner"}, {12, "18", "over"}, {50, "60", "late"}},
        {{5, 8, "outer"}, {20, 30, "inner"}, {35, 45, "outer"}, {50, 60, "late"}, {90, 101, ""}});
  EXPECT_EQ(around(6), "");  // there is no such call
}

TEST_F(LaunchRangesTest, OfTwoThatBeginTogetherTheShorter) {
  check({{0, "50", "short"}, {0, "100", "long"}}, {{5, 8, "short"}});
}

TEST_F(LaunchRangesTest, OverlappingRangesOfTwoDomains) {
  check({{0, "60", "first"}, {10, "100", "second"}, {55, "58", "third"}},
        {{30, 40, "second"}, {56, 59, "second"}, {56, 61, "second"}, {70, 80, "second"}});
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
