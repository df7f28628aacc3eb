// The findings about frames. Each has a report with the problem and one without.
#include "tests/unit/exporters/analysis/analyze/program_fixture.hpp"

namespace prof::test {

namespace {

using Shares = std::vector<std::string>;

class FrameRulesTest : public ProgramFixture {
 protected:
  FrameRulesTest() {
    sql("CREATE TABLE OPENGL_API (start, end, globalTid, nameId)");
    swap_ = text("eglSwapBuffers");
  }
  // A frame of this length, which ends with a wait. Times in ms.
  void frame(std::int64_t length, std::int64_t wait) {
    now_ += length;
    rows_ += "INSERT INTO OPENGL_API VALUES (" + std::to_string((now_ - wait) * kMs) + "," +
             std::to_string(now_ * kMs) + "," + std::to_string(global_id(9, 9)) + "," + swap_ +
             ");";
  }
  void work(std::int64_t start, std::int64_t end) {
    sql("CREATE TABLE IF NOT EXISTS OPENGL_WORKLOAD (start, end, globalTid);"
        "INSERT INTO OPENGL_WORKLOAD VALUES (" +
        std::to_string(start * kMs) + "," + std::to_string(end * kMs) + "," +
        std::to_string(global_id(9, 9)) + ")");
  }
  analyze::Diagnosis written() {
    sql("BEGIN;" + rows_ + "COMMIT;");
    runs(0, now_, 9);
    ends(now_);
    return diagnosis();
  }

  std::int64_t now_ = 0;
  std::string swap_;
  std::string rows_;
};

TEST_F(FrameRulesTest, Stutter) {
  for (int i = 0; i < 40; ++i) frame(i == 20 ? 60 : 10, 1);
  const auto found = written();
  ASSERT_EQ(shares(found), Shares{"gfx_stutter 11"});
  EXPECT_EQ(found.findings[0].evidence,
            "1 of 40 frames; frame 21 takes 60 ms, the median of those around it 10 ms");
  EXPECT_EQ(found.findings[0].where->time.start, 200 * kMs);
}

TEST_F(FrameRulesTest, EvenFramesWithShortWaitsAreFine) {
  for (int i = 0; i < 40; ++i) frame(10, 1);
  EXPECT_EQ(shares(written()), Shares{});
}

TEST_F(FrameRulesTest, PresentStall) {
  for (int i = 0; i < 40; ++i) frame(10, 5);
  work(5, 10);
  work(15, 20);
  const auto found = written();
  ASSERT_EQ(shares(found), Shares{"gfx_present_stall 50"});
  EXPECT_EQ(found.findings[0].evidence,
            "40 frames: 5 ms of 9.88 ms on average; the GPU works in 5 % of that time");
}

}  // namespace

}  // namespace prof::test
