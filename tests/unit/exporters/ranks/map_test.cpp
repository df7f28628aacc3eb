#include "exporters/ranks/map.hpp"

#include <gtest/gtest.h>

#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::ranks {
namespace {

class MapTest : public test::ReportFixture {
 protected:
  MapTest() {
    create_api();
    sql("CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid, devStateName, name, nameEnum, value);"
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0,'','Hostname',0,'gpu03');"
        "CREATE TABLE PROCESSES (globalPid, pid, name);"
        "CREATE TABLE PROF_RANKS (globalPid, rank, size, localRank, localSize, nodeRank, jobId, "
        "attempt, node, pod, source, precedence);");
  }
  void add_process(std::int64_t pid) {
    sql("INSERT INTO PROCESSES VALUES (" + std::to_string(test::global_id(pid, 0)) + "," +
        std::to_string(pid) + ",'x');");
  }
  void add_rank(std::int64_t pid, int rank, int precedence = 0) {
    sql("INSERT INTO PROF_RANKS VALUES (" + std::to_string(test::global_id(pid, 0)) + "," +
        std::to_string(rank) + ",4,NULL,NULL,NULL,'7',NULL,NULL,NULL,'torchrun'," +
        std::to_string(precedence) + ");");
  }
  Partial map(const std::string& statistic) const {
    const auto reader = this->reader();
    const auto ranks = ranks_of(reader);
    if (!ranks) ADD_FAILURE() << ranks.error().message;
    const auto request = request_of(statistic);
    if (!request) ADD_FAILURE() << request.error().message;
    const auto partial = map_report(reader, *ranks, {*request});
    if (!partial) ADD_FAILURE() << partial.error().message;
    return *partial;
  }
};

const std::vector<std::string> kLaunch = {"cudaLaunchKernel"};

TEST_F(MapTest, EachRankOfAReportIsAUnit) {
  for (const int pid : {10, 11, 12}) add_process(pid);
  add_rank(10, 0);
  add_rank(10, 5, 1);  // another source disagrees
  add_rank(11, 1);
  add_call(0, 100, 10, 1);
  add_call(0, 30, 11, 2);
  add_call(50, 60, 11, 3);
  add_call(0, 7, 12, 4);  // the launcher
  const Partial partial = map("cuda_api_sum");
  ASSERT_EQ(partial.size(), 3U);
  const auto total = [&](const Unit& unit) {
    return partial.at(unit).at("cuda_api_sum").groups.at(kLaunch).table.total();
  };
  EXPECT_TRUE(total({"7", 0, "gpu03", ""}) == 100);
  EXPECT_TRUE(total({"7", 1, "gpu03", ""}) == 40);
  EXPECT_TRUE(total({"", {}, "gpu03", "report.sqlite"}) == 7);
}

TEST_F(MapTest, OneRankHasAllProcesses) {
  for (const int pid : {10, 11}) add_process(pid);
  add_rank(10, 3);
  add_call(0, 100, 10, 1);
  add_call(0, 30, 11, 2);
  const Partial partial = map("cuda_api_sum");
  ASSERT_EQ(partial.size(), 1U);
  const Sum& sum = partial.at({"7", 3, "gpu03", ""}).at("cuda_api_sum");
  EXPECT_EQ(sum.groups.at(kLaunch).table, ValueTable({30, 100}));
}

TEST_F(MapTest, AReportWithoutRanksIsOneUnit) {
  add_call(0, 100, 10, 1);
  EXPECT_EQ(map("cuda_api_sum").begin()->first, (Unit{"", {}, "gpu03", "report.sqlite"}));
}

TEST_F(MapTest, AStatisticWithoutDataHasNoGroups) {
  const Partial partial = map("cuda_gpu_kern_sum:base");
  EXPECT_TRUE(partial.begin()->second.at("cuda_gpu_kern_sum:base").groups.empty());
}

TEST_F(MapTest, EstimatesAreNotMerged) {
  sql("CREATE TABLE OSRT_API (start, end, eventClass, globalTid, correlationId, nameId, "
      "returnValue, nestingLevel, callchainId, weight);"
      "INSERT INTO OSRT_API VALUES (0, 5, 27, 0, 0, 1, 0, 0, NULL, 10);");
  const Partial partial = map("osrt_sum");
  const Sum& sum = partial.begin()->second.at("osrt_sum");
  EXPECT_TRUE(sum.has_estimates);
  EXPECT_TRUE(sum.groups.empty());
}

TEST(Requests, OnlySumsCanBeMerged) {
  EXPECT_TRUE(request_of("nvtx_sum:merge"));
  EXPECT_EQ(request_of("gpukernsum:base")->name, "cuda_gpu_kern_sum:base");
  EXPECT_EQ(request_of("gpu_idle_sum").error().message, "gpu_idle_sum cannot be merged over ranks");
  EXPECT_FALSE(request_of("nvtx_sum:wrong"));
  EXPECT_FALSE(request_of("no_such_sum"));
}

}  // namespace
}  // namespace prof::ranks
