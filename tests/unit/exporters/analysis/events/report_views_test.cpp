#include "exporters/analysis/events/report_views.hpp"

#include <filesystem>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::events {
namespace {

class ReportViewsTest : public test::ReportFixture {
 protected:
  static std::int64_t count(const report::ReportReader& file, const std::string& table) {
    auto query = file.prepare("SELECT count(*) FROM " + table);
    return query && query->step() ? query->integer(0) : -1;
  }
};

TEST_F(ReportViewsTest, ColumnsThatCameLaterAreThere) {
  create_kernels();
  const auto file = reader();
  EXPECT_TRUE(file.has_column("CUPTI_ACTIVITY_KIND_KERNEL", "mangledName"));
  EXPECT_TRUE(file.has_column("CUPTI_ACTIVITY_KIND_KERNEL", "greenContextId"));
  ASSERT_TRUE(make_views(file, {0, 10, {}}));
  EXPECT_TRUE(file.has_column("CUPTI_ACTIVITY_KIND_KERNEL", "mangledName"));
}

// A report from an unknown source must not make prof execute the names of its tables.
TEST_F(ReportViewsTest, NamesOfTablesStayNames) {
  const auto elsewhere = std::filesystem::temp_directory_path() / "prof_report_views_test.db";
  const std::string name =
      "x\"; ATTACH '" + elsewhere.string() + "' AS e; CREATE TABLE e.t (a); CREATE TEMP VIEW \"y";
  sql("CREATE TABLE " + report::quoted(name) + " (start INTEGER, end INTEGER)");
  const auto file = reader();
  ASSERT_TRUE(make_views(file, {15, 20, {}}));
  EXPECT_FALSE(std::filesystem::exists(elsewhere));
  EXPECT_EQ(count(file, report::quoted(name)), 0);
}

TEST_F(ReportViewsTest, WhatOverlapsTheWindowStays) {
  create_api();
  for (const int start : {0, 10, 20, 30}) add_call(start, start + 5, 9, start);
  add_call(20, 25, 8, 1);
  const auto file = reader();
  const std::string table = "CUPTI_ACTIVITY_KIND_RUNTIME";
  ASSERT_TRUE(make_views(file, {15, 20, {}}));
  EXPECT_EQ(count(file, table), 3);
  EXPECT_EQ(file.filter(), (EventFilter{15, 20, {}}));
  ASSERT_TRUE(make_views(file, {15, 20, {{process_of(test::global_id(9, 0))}}}));
  EXPECT_EQ(count(file, table), 2);
  ASSERT_TRUE(make_views(file));
  EXPECT_EQ(count(file, table), 5);
  // So that clipping to the window does not overflow.
  EXPECT_EQ(file.filter(), (EventFilter{-kMaxTime, kMaxTime, {}}));
  EXPECT_EQ(count(file, "StringIds"), 5);
}

TEST_F(ReportViewsTest, ProcessesAndThreads) {
  create_api();
  create_kernels();
  for (const int pid : {8, 9, 9}) {
    add_call(10, 20, pid, pid);
    add_kernel(10, 20, pid, pid);
  }
  const auto file = reader();
  EventFilter filter;
  filter.processes = {process_of(test::global_id(9, 0))};
  ASSERT_TRUE(make_views(file, filter));
  EXPECT_EQ(count(file, "CUPTI_ACTIVITY_KIND_RUNTIME"), 2);
  EXPECT_EQ(count(file, "CUPTI_ACTIVITY_KIND_KERNEL"), 2);
  EXPECT_EQ(file.filter().processes, filter.processes);
  filter.threads = {test::global_id(8, 8), test::global_id(9, 8)};
  ASSERT_TRUE(make_views(file, filter));
  EXPECT_EQ(count(file, "CUPTI_ACTIVITY_KIND_RUNTIME"), 0);
  EXPECT_EQ(count(file, "CUPTI_ACTIVITY_KIND_KERNEL"), 0);
  filter.processes.reset();
  ASSERT_TRUE(make_views(file, filter));
  EXPECT_EQ(count(file, "CUPTI_ACTIVITY_KIND_RUNTIME"), 1);
  EXPECT_EQ(count(file, "CUPTI_ACTIVITY_KIND_KERNEL"), 1);
  EXPECT_EQ(file.filter().threads, filter.threads);
}

TEST_F(ReportViewsTest, DomainsKeepTheirNamesAndRangesTheirIds) {
  create_ranges();
  add_range(0, "5", 9, "before");
  add_range(10, "15", 9, "in");
  sql("INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'mine', NULL, " +
      std::to_string(test::global_id(9, 9)) + ", 0, NULL); UPDATE NVTX_EVENTS SET domainId = 5;");
  const auto file = reader();
  ASSERT_TRUE(make_views(file, {8, 12, {}}));
  const auto trace = lines(stats::run(*stats::find_statistic("nvtx_pushpop_trace"), file, {}));
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace[1], "10,15,5,0,5,mine:in,9,9,0,0,2,,:2,mine:in");
}

}  // namespace
}  // namespace prof::events
