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
  // A call of Vulkan. Times in ms.
  void vulkan(const char* name, std::int64_t start, std::int64_t end) {
    rows_ += "INSERT INTO VULKAN_API (start, end, globalTid, nameId) VALUES (" +
             std::to_string(start * kMs) + "," + std::to_string(end * kMs) + "," +
             std::to_string(global_id(9, 9)) + "," + text(name) + ");";
  }
  // 40 submits that take this long, every 10 ms, with a label in their work. Times in ms.
  void vulkan_with_work(std::int64_t submit, std::int64_t work) {
    sql("CREATE TABLE VULKAN_API (start, end, globalTid, nameId, correlationId, eventClass);"
        "CREATE TABLE VULKAN_WORKLOAD (start, end, globalTid, correlationId)");
    const std::string name = text("vkQueueSubmit2");
    const std::string tid = std::to_string(global_id(9, 9));
    for (int i = 0; i < 40; ++i, now_ += 10) {
      const auto at = [&](std::int64_t after) { return std::to_string((now_ + after) * kMs); };
      rows_ += "INSERT INTO VULKAN_API VALUES (" + at(0) + "," + at(submit) + "," + tid + "," +
               name + "," + std::to_string(i) + ",53);";
      for (int k = 0; k < 2; ++k)
        rows_ += "INSERT INTO VULKAN_WORKLOAD VALUES (" + at(1) + "," + at(1 + work) + "," + tid +
                 "," + std::to_string(i) + ");";
    }
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

// The frame is longer because a pipeline is created in it for 40 of its 60 ms.
TEST_F(FrameRulesTest, PipelineHitchStandsForStutter) {
  sql("CREATE TABLE VULKAN_API (start, end, globalTid, nameId)");
  for (int i = 0; i < 40; ++i) {
    if (i == 20) vulkan("vkCreateGraphicsPipelines", now_ + 5, now_ + 45);
    frame(i == 20 ? 60 : 10, 1);
  }
  const auto found = written();
  ASSERT_EQ(shares(found), Shares{"gfx_pipeline_hitch 8"});
  EXPECT_EQ(found.findings[0].evidence,
            "1 of 40 frames; frame 21 takes 60 ms, of which 40 ms creates pipelines and shaders; "
            "the median of the frames around it is 10 ms");
}

TEST_F(FrameRulesTest, PipelinesOfEvenFramesAreNoHitch) {
  sql("CREATE TABLE VULKAN_API (start, end, globalTid, nameId)");
  for (int i = 0; i < 40; ++i) {
    vulkan("vkCreateGraphicsPipelines", now_ + 1, now_ + 6);
    frame(10, 1);
  }
  EXPECT_EQ(shares(written()), Shares{});
}

TEST_F(FrameRulesTest, SubmitsThatTakeLongerThanTheirWork) {
  vulkan_with_work(6, 1);
  const auto found = written();
  ASSERT_EQ(shares(found), Shares{"gfx_submit_bound 60"});
  EXPECT_EQ(found.findings[0].evidence, "40 of 40 submits take 240 ms, their work 40 ms");
}

TEST_F(FrameRulesTest, SubmitsThatTakeLessThanTheirWorkAreFine) {
  vulkan_with_work(6, 7);
  EXPECT_EQ(shares(written()), Shares{});
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
