#include <fmt/format.h>

#include "tests/unit/exporters/gpu_fixture.hpp"
#include "tests/unit/exporters/viewer/answers/served_reports.hpp"

namespace prof::test {
namespace {

using Json = nlohmann::json;

class SummaryAnswers : public GpuFixture {
 protected:
  static Json summary(const ServedReports& served) {
    return served.get("summary", {{"wait", "1"}});
  }
  static Json finding(const Json& summary, const std::string& rule) {
    for (const Json& each : summary["findings"])
      if (each["rule"] == rule) return each;
    ADD_FAILURE() << "no finding " << rule << " in " << summary["findings"].dump();
    return {};
  }
};

TEST_F(SummaryAnswers, DivideTheTimeOfTheGpu) {
  add({0, 600});
  add({1000, 2000});
  create_copies();
  add_copy(500, 700, 8);
  const ServedReports served({path()});
  const Json all = summary(served);
  EXPECT_EQ(all["exact"], true);
  EXPECT_EQ(all["fault"], "");
  ASSERT_EQ(all["gpus"].size(), 1);
  const Json& gpu = all["gpus"][0];
  EXPECT_EQ(gpu["row"], served.row("gpu")["id"]);
  EXPECT_EQ(gpu["span"], 2000);
  EXPECT_EQ(gpu["compute"], 1600);
  EXPECT_EQ(gpu["exposed_copies"], 100);
  EXPECT_EQ(gpu["hidden_copies"], 100);
  EXPECT_EQ(gpu["idle"], 300);
  EXPECT_EQ(all["cpu"], nullptr);
}

TEST_F(SummaryAnswers, ListKernelsWithTheirLongestRun) {
  sql("INSERT INTO StringIds VALUES (10,'sm80_xmma_gemm_f16f16_tensor16x8x16')");
  add({0, 100, 0, 0, 7, 10});
  add({200, 500, 0, 0, 7, 10});
  add({600, 700});
  const ServedReports served({path()});
  const Json all = summary(served);
  ASSERT_EQ(all["kernels"].size(), 2);
  const Json& first = all["kernels"][0];
  EXPECT_EQ(first["total"], 400);
  EXPECT_EQ(first["count"], 2);
  EXPECT_EQ(first["average"], 200);
  EXPECT_DOUBLE_EQ(first["share"], 0.8);
  EXPECT_EQ(first["tensor_cores"], true);
  EXPECT_EQ(first["where"]["from"], 200);
  EXPECT_EQ(first["where"]["to"], 500);
  EXPECT_EQ(first["where"]["id"], 2);
  EXPECT_EQ(first["where"]["row"], served.row("kernels")["id"]);
  EXPECT_EQ(all["kernels"][1]["tensor_cores"], false);
  EXPECT_DOUBLE_EQ(all["tensor_cores"]["share_of_gpu_time"], 0.8);
}

TEST_F(SummaryAnswers, ListRangesWithoutTheirNumbers) {
  create_ranges();
  add_range(0, "100", 9, "step 1");
  add_range(200, "500", 9, "step 2");
  const ServedReports served({path()});
  const Json ranges = summary(served)["ranges"];
  ASSERT_EQ(ranges.size(), 1);
  EXPECT_EQ(ranges[0]["name"], ":step #");
  EXPECT_EQ(ranges[0]["total"], 400);
  EXPECT_EQ(ranges[0]["count"], 2);
  EXPECT_EQ(ranges[0]["where"]["from"], 200);
}

TEST_F(SummaryAnswers, MarkSlowIterations) {
  create_ranges();
  create_api();
  std::int64_t start = 0;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t length = i == 3 ? 3000 : 1000;
    add_range(start, std::to_string(start + length), 9, fmt::format("step {}", i));
    add_call(start + 10, start + 20, 9, i + 1);
    add({start + 30, start + length - 30, i + 1});
    start += length + 100;
  }
  const ServedReports served({path()});
  const Json all = summary(served);
  const Json& iterations = all["iterations"];
  EXPECT_EQ(iterations["times"].size(), 6);
  EXPECT_EQ(iterations["times"][3], Json({3300, 6300}));
  EXPECT_EQ(iterations["median"], 1000);
  EXPECT_EQ(iterations["slow"], Json({3}));
  EXPECT_EQ(iterations["count"], 6);
  // The finding is about the same iteration, and leads to it.
  const Json where = finding(all, "uneven_iterations")["where"];
  EXPECT_EQ(where["from"], 3300);
  EXPECT_EQ(where["to"], 6300);
  EXPECT_EQ(where["row"], served.row("gpu")["id"]);
}

TEST_F(SummaryAnswers, LeadToTheLongestPageableCopy) {
  create_copies();
  add({0, 1000});
  for (const auto& [start, end] : {std::pair(2000, 3000), {4000, 9000}, {10000, 10500}})
    sql(
        fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES "
                    "({},{},0,1,7,0,{},1000000,1,0,2);",
                    start, end, global_id(9, 0)));
  const ServedReports served({path()});
  const Json all = summary(served);
  const Json copies = finding(all, "pageable_copies");
  EXPECT_EQ(copies["at_stake"], 6500);
  EXPECT_EQ(copies["where"], Json({{"from", 4000},
                                   {"to", 9000},
                                   {"row", served.row("copies")["id"]},
                                   {"source", 0},
                                   {"id", 2}}));
  EXPECT_NEAR(copies["share"], 6500.0 / 10500, 1e-9);
}

TEST_F(SummaryAnswers, LeadToIdleTimes) {
  create_api();
  add_call(0, 10, 9, 1);
  add_call(5000, 5010, 9, 2);
  add({20, 1000, 1});
  add({5020, 6000, 2});
  const ServedReports served({path()});
  const Json where = finding(summary(served), "launch_bound")["where"];
  EXPECT_EQ(where["from"], 1000);
  EXPECT_EQ(where["to"], 5020);
  EXPECT_EQ(where["row"], served.row("gpu")["id"]);
}

TEST_F(SummaryAnswers, OfReportsWithoutGpuWorkAreNearlyEmpty) {
  const ServedReports served({path()});
  const Json all = summary(served);
  EXPECT_EQ(all["exact"], true);
  EXPECT_EQ(all["verdict"]["name"], "no GPU work");
  EXPECT_FALSE(all["verdict"]["not_recorded"].empty());
  EXPECT_EQ(all["gpus"], Json::array());
  EXPECT_EQ(all["kernels"], Json::array());
  EXPECT_EQ(all["iterations"], nullptr);
  EXPECT_EQ(all["tensor_cores"], nullptr);
  EXPECT_EQ(all["cpu"]["functions"], Json::array());
}

TEST_F(SummaryAnswers, SayWhatCouldNotBeRead) {
  add({0, 600});
  sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 'text'");
  const ServedReports served({path()});
  const Json all = summary(served);
  EXPECT_EQ(all["exact"], false);
  EXPECT_NE(all["fault"], "");
  EXPECT_EQ(all["verdict"], nullptr);
}

TEST_F(SummaryAnswers, RefuseUnknownReports) {
  const ServedReports served({path()});
  EXPECT_EQ(served.fault("summary", {{"report", "1"}}), 400);
}

}  // namespace
}  // namespace prof::test
