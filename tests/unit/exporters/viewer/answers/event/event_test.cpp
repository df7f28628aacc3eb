#include <fmt/format.h>

#include "tests/unit/exporters/sample_fixture.hpp"
#include "tests/unit/exporters/viewer/answers/served_reports.hpp"

namespace prof::test {
namespace {

using Json = nlohmann::json;

class EventAnswers : public SampleFixture {
 protected:
  EventAnswers() {
    create_api();
    create_kernels();
    create_ranges();
  }
  static std::string text(const Json& event, const std::string& column) {
    for (const Json& each : event["columns"])
      if (each["name"] == column) return each["text"];
    ADD_FAILURE() << "no column " << column;
    return "";
  }
  // "relation name", in order.
  static std::vector<std::string> links(const Json& event) {
    std::vector<std::string> result;
    for (const Json& each : event["links"])
      result.push_back(each["relation"].get<std::string>() + " " + each["name"].get<std::string>());
    return result;
  }
};

using Texts = std::vector<std::string>;

TEST_F(EventAnswers, ShowColumnsAsTexts) {
  add_call(10, 20, 9, 1);
  sql("CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id, name, label);"
      "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1,'CUDA_MEMCPY_KIND_HTOD','Host-to-Device');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, bytes, copyKind, srcKind, dstKind, virtualAddress, real, blob);");
  sql(
      fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES "
                  "(1500000000,1500001000,0,1,7,5,{},2048,1,0,2,255,0.5,x'010203');",
                  global_id(9, 0)));
  const ServedReports served({path()});
  const Json event = served.event("copies", 1);
  EXPECT_EQ(event["table"], "CUPTI_ACTIVITY_KIND_MEMCPY");
  EXPECT_EQ(event["name"], "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(event["start"], 1'500'000'000);
  EXPECT_EQ(text(event, "start"), "1.500000000 s");
  EXPECT_EQ(text(event, "bytes"), "2.05 kB");
  EXPECT_EQ(text(event, "copyKind"), "Host-to-Device");
  EXPECT_EQ(text(event, "srcKind"), "0");  // there is no table of its names
  EXPECT_EQ(text(event, "virtualAddress"), "0xff");
  EXPECT_EQ(text(event, "real"), "0.5");
  EXPECT_EQ(text(event, "blob"), "3 bytes");
  EXPECT_EQ(text(event, "globalPid"), "pid 9 (app)");
  EXPECT_EQ(event["columns"][7], Json({{"name", "bytes"}, {"value", 2048}, {"text", "2.05 kB"}}));
  EXPECT_EQ(event["facts"][1], Json({"Rate", "2.05 GB/s"}));
}

TEST_F(EventAnswers, KnowWhatBelongsTogether) {
  add_range(0, "100", 9, "step");
  add_range(5, "60", 9, "forward");
  add_range(61, "90", 9, "backward");
  add_call(10, 20, 9, 1);
  add_call(30, 40, 9, 2);
  add_kernel(50, 55, 9, 1);
  add_kernel(56, 58, 9, 2);
  const ServedReports served({path()});
  EXPECT_EQ(links(served.event("cuda_api", 2)), (Texts{"launches f", "range forward", "range step",
                                                       "same name before cudaLaunchKernel"}));
  EXPECT_EQ(
      links(served.event("kernels", 1)),
      (Texts{"launched by cudaLaunchKernel", "range forward", "range step", "same name after f"}));
  const Json step = served.event("nvtx", 1);
  EXPECT_EQ(links(step), (Texts{"on the GPU step", "inside forward", "inside backward"}));
  EXPECT_EQ(step["more_links"], 0);
  EXPECT_EQ(links(served.event("nvtx", 3)), (Texts{"range step"}));
}

TEST_F(EventAnswers, ListSomeOfManyLinks) {
  add_range(0, "100000", 9, "epoch");
  std::string calls;
  for (int i = 0; i < 150; ++i)
    calls += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({},{},0,{},{},1,0,NULL);",
                         10 * i + 1, 10 * i + 5, global_id(9, 9), i);
  sql(calls);
  const ServedReports served({path()});
  const Json epoch = served.event("nvtx", 1);
  EXPECT_EQ(epoch["links"].size(), 100);
  EXPECT_EQ(epoch["more_links"], 50);
}

TEST_F(EventAnswers, HaveTheirCallChain) {
  add_chain("OSRT_CALLCHAINS", 7, {{"load"}, python_frame("train", "/a/train.py", 12), {"main"}});
  add_os_call(10, 20, "read", 7);
  add_os_call(30, 40, "read", 8);  // there is no such chain
  const ServedReports served({path()});
  const Json chain = served.event("osrt", 1)["chain"];
  ASSERT_EQ(chain.size(), 3);
  EXPECT_EQ(chain[0], Json({{"function", "load"}, {"place", "/bin/app"}, {"kind", "native"}}));
  EXPECT_EQ(chain[1],
            Json({{"function", "train"}, {"place", "/a/train.py:12"}, {"kind", "python"}}));
  EXPECT_EQ(served.event("osrt", 2)["chain"], Json::array());
}

TEST_F(EventAnswers, HaveTheOccupancyOfKernels) {
  sql("CREATE TABLE TARGET_INFO_GPU (id, name, cuDevice, computeMajor, computeMinor, smCount, "
      "threadsPerWarp, maxWarpsPerSm, maxBlocksPerSm, maxRegistersPerSm, maxShmemPerSm);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0,'GPU',0,9,0,132,32,64,32,65536,233472);");
  add_kernel(50, 55, 9, 1);
  const ServedReports served({path()});
  const Json facts = served.event("kernels", 1)["facts"];
  EXPECT_EQ(facts[1], Json({"Grid", "1 × 2 × 3 = 6 blocks"}));
  EXPECT_EQ(facts[3][0], "Theoretical occupancy");
  EXPECT_EQ(facts[3][1], "100 %, limited by threads, blocks; 3 % with this grid");
  EXPECT_EQ(facts[4], Json({"Waves", "0.00 on 132 multiprocessors"}));
  EXPECT_EQ(facts[5],
            Json({"small_grids", "up to 95 % of its time: 6 blocks for 132 multiprocessors"}));
}

TEST_F(EventAnswers, HaveTheRulesOfProfiledKernels) {
  sql("CREATE TABLE TARGET_INFO_GPU (id, name, cuDevice, computeMajor, computeMinor, smCount, "
      "threadsPerWarp, maxWarpsPerSm, maxBlocksPerSm, maxRegistersPerSm, maxShmemPerSm);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0,'GPU',0,9,0,132,32,64,32,65536,233472);"
      "CREATE TABLE PROF_KERNEL_PROFILES (id, globalPid, correlationId);"
      "CREATE TABLE PROF_KERNEL_METRICS (profileId, metricId, value);"
      "CREATE TABLE PROF_METRIC_NAMES (metricId, name);"
      "INSERT INTO PROF_METRIC_NAMES VALUES (0,"
      "'smsp__thread_inst_executed_per_inst_executed.ratio'), "
      "(1,'sm__throughput.avg.pct_of_peak_sustained_elapsed'), "
      "(2,'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed');"
      "INSERT INTO PROF_KERNEL_METRICS VALUES (7,0,8.0),(7,1,80.0),(7,2,10.0),(8,0,16.0);"
      "INSERT INTO PROF_KERNEL_PROFILES VALUES (7," +
      std::to_string(test::global_id(9, 0)) + ",1);");
  add_kernel(50, 55, 9, 1);
  sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 13200");
  const ServedReports served({path()});
  const Json facts = served.event("kernels", 1)["facts"];
  EXPECT_EQ(facts[5], Json({"Verdict",
                            "compute, at the limit: compute at 80 % of its peak, memory "
                            "at 10 %"}));
  EXPECT_EQ(facts[6], Json({"divergent_threads",
                            "up to 60 % of its time: 8.0 of 32 threads of a "
                            "warp are active, on average"}));
}

TEST_F(EventAnswers, HandleRangesWithoutAnEnd) {
  add_range(10, "NULL", 9, "open");
  add_range(20, "30", 9, "inner");
  const ServedReports served({path()});
  const Json open = served.event("nvtx", 1);
  EXPECT_TRUE(open["end"].is_null());
  EXPECT_EQ(text(open, "end"), "");
  EXPECT_TRUE(open["columns"][1]["value"].is_null());
  EXPECT_EQ(links(served.event("nvtx", 2)), (Texts{"range open"}));
}

TEST_F(EventAnswers, ShowAnyText) {
  add_range(10, "20", 9, "<img src=x>\x01\xfe\"\\\n");
  const ServedReports served({path()});
  const Json event = served.event("nvtx", 1);
  EXPECT_TRUE(event["name"].get<std::string>().starts_with("<img src=x>\x01"));
  EXPECT_TRUE(text(event, "text").starts_with("<img src=x>\x01"));
}

TEST_F(EventAnswers, AreMissingForWhatDoesNotExist) {
  add_range(10, "20", 9, "range");
  const ServedReports served({path()});
  const std::string row = served.row_id("nvtx");
  EXPECT_EQ(served.fault("event", {{"row", "77"}, {"source", "0"}, {"id", "1"}}), 404);
  EXPECT_EQ(served.fault("event", {{"row", row}, {"source", "9"}, {"id", "1"}}), 404);
  EXPECT_EQ(served.fault("event", {{"row", row}, {"source", "0"}, {"id", "2"}}), 404);
  EXPECT_EQ(served.fault("event", {{"row", row}, {"source", "256"}, {"id", "1"}}), 400);
  EXPECT_EQ(served.fault("event", {{"row", row}, {"source", "0"}, {"id", "x"}}), 400);
}

}  // namespace
}  // namespace prof::test
