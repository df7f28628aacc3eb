#include "exporters/analysis/events/api_calls.hpp"

#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::events {
namespace {

class ApiCallsTest : public test::ReportFixture {};

TEST(WithoutVersion, OnlyFourDigitsAreCut) {
  EXPECT_EQ(without_version("cudaMalloc_v3020"), "cudaMalloc");
  EXPECT_EQ(without_version("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel_ptsz");
  EXPECT_EQ(without_version("cudaGraphLaunch_v10000"), "cudaGraphLaunch_v10000");
  EXPECT_EQ(without_version("cuMemcpyHtoDAsync_v2"), "cuMemcpyHtoDAsync_v2");
  EXPECT_EQ(without_version("poll"), "poll");
}

TEST_F(ApiCallsTest, NoTable) {
  const auto file = reader();
  const auto calls = ApiCalls::read(file);
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->launching(test::global_id(1, 0), 1), nullptr);
}

TEST_F(ApiCallsTest, IdsRepeatFromProcessToProcess) {
  create_api();
  add_call(50, 60, 9, 2);
  add_call(10, 20, 9, 1);
  add_call(30, 40, 8, 1);
  const auto file = reader();
  const auto calls = ApiCalls::read(file);
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->launching(test::global_id(9, 0), 1)->start, 10);
  EXPECT_EQ(calls->launching(test::global_id(8, 0), 1)->start, 30);
  EXPECT_EQ(calls->launching(test::global_id(9, 0), 2)->start, 50);
  EXPECT_EQ(calls->launching(test::global_id(8, 0), 2), nullptr);
  EXPECT_EQ(calls->launching(test::global_id(7, 0), 1), nullptr);
}

TEST_F(ApiCallsTest, RowsOfBacktracesAreNoCalls) {
  create_api();
  add_call(10, 20, 9, 1, 67);
  add_call(11, 20, 9, 1, 0);
  const auto file = reader();
  const auto calls = ApiCalls::read(file);
  ASSERT_EQ(calls->all().size(), 1U);
  EXPECT_EQ(calls->launching(test::global_id(9, 0), 1)->start, 11);
}

TEST_F(ApiCallsTest, SumsRemarkOnRowsOfBacktraces) {
  create_api();
  sql("CREATE TABLE CUDA_CALLCHAINS (id)");
  add_call(11, 20, 9, 1, 0);
  const auto sum = [this] {
    const auto file = reader();
    EXPECT_EQ(lines(stats::run(*stats::find_statistic("cuda_api_sum"), file, {}))[1],
              "100.0,9,1,9.0,9.0,9,9,0.0,cudaLaunchKernel");
    return file.remarks().size();
  };
  EXPECT_EQ(sum(), 0U);
  add_call(10, 20, 9, 1, 67);
  EXPECT_EQ(sum(), 1U);
}

}  // namespace
}  // namespace prof::events
