#include "exporters/analysis/diff/figures.hpp"

#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::diff {
namespace {

class FiguresTest : public test::ReportFixture {
 protected:
  Figures figures() const {
    const auto read = read_figures(reader(), CpuTime::kUnknown);
    if (!read) ADD_FAILURE() << read.error().message;
    return read.value_or(Figures{});
  }
};

TEST_F(FiguresTest, ReportWithoutAnything) {
  const Figures none = figures();
  EXPECT_FALSE(none.session);
  EXPECT_FALSE(none.gpu_span);
  EXPECT_EQ(none.gpu_busy + none.gpus + none.kernels, 0);
}

TEST_F(FiguresTest, BusyTimeIsTheUnionOfAllOperations) {
  create_kernels();
  add_kernel(300, 400, 7, 1);
  add_kernel(100, 200, 7, 2);
  add_kernel(120, 130, 7, 3);
  sql("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, globalPid);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, globalPid);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, globalPid);"
      "CREATE TABLE ANALYSIS_DETAILS (duration); INSERT INTO ANALYSIS_DETAILS VALUES (5000);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (150, 250, 0, 0);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (400, 410, 0, 0);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (500, 600, 0, 0);");
  const Figures all = figures();
  EXPECT_EQ(all.gpu_busy, 150 + 110 + 100);
  EXPECT_EQ(all.gpu_span, 500);
  EXPECT_EQ(all.gpus, 1);
  EXPECT_EQ(all.kernels, 3);
  EXPECT_EQ(all.session, 5000);
}

TEST_F(FiguresTest, NumbersOfProcessesLeadToGpus) {
  create_kernels();
  add_kernel(0, 100, 7, 1);  // device 0 of each
  add_kernel(0, 100, 8, 1);
  EXPECT_EQ(figures().gpu_busy, 100);
  sql("CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 7), (1, 0, 8);");
  EXPECT_EQ(figures().gpu_busy, 200);
  EXPECT_EQ(figures().gpus, 2);
}

TEST(Durations, SessionsAreComparedOnlyWithSessions) {
  Figures with;
  with.session = 100;
  with.gpu_span = 50;
  Figures without;
  without.gpu_span = 60;
  EXPECT_TRUE(durations(with, with).of_session);
  EXPECT_EQ(durations(with, with).after, 100);
  EXPECT_FALSE(durations(with, without).of_session);
  EXPECT_EQ(durations(with, without).before, 50);
  EXPECT_EQ(durations(with, without).after, 60);
}

}  // namespace
}  // namespace prof::diff
