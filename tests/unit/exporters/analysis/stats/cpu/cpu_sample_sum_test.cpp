#include "tests/unit/exporters/sample_fixture.hpp"

namespace prof::stats {
namespace {

using test::frame_at;
using test::kernel_frame;
using test::mark;
using test::python_frame;
using test::unresolved;

class CpuSampleSumTest : public test::SampleFixture {};

TEST_F(CpuSampleSumTest, SharesOfFunctions) {
  add_shares();
  EXPECT_EQ(rows("cpu_sample_sum"),
            (Lines{"50.0,5,,50.0,5,,hot,/bin/app", "30.0,3,,30.0,3,,warm,/bin/app",
                   "20.0,2,,20.0,2,,recursive,/bin/app", "0.0,0,,100.0,10,,main,/bin/app"}));
}

TEST_F(CpuSampleSumTest, FunctionsInJavaScriptHaveTheirPlace) {
  add_samples(3, {{"JS:*sumUp /srv/node_work.js:5:15", "[JIT]"}});
  add_samples(2, {{"JS:^sumUp /srv/other.js:7:1", "[JIT]"}});
  add_samples(1, {{"Builtin:Add", "[JIT]"}});
  EXPECT_EQ(rows("cpu_sample_sum"),
            (Lines{"50.0,3,,50.0,3,,sumUp,/srv/node_work.js:5",
                   "33.3,2,,33.3,2,,sumUp,/srv/other.js:7", "16.7,1,,16.7,1,,Builtin:Add,[JIT]"}));
}

TEST_F(CpuSampleSumTest, TimeWhereTheIntervalIsTold) {
  add_shares();
  set_interval("2000000");
  EXPECT_EQ(rows("cpu_sample_sum")[0], "50.0,5,10000000,50.0,5,10000000,hot,/bin/app");
}

TEST_F(CpuSampleSumTest, TimeOfOurOwnFrequency) {
  add_shares();
  sql("INSERT INTO META_DATA_CAPTURE VALUES ('SAMPLING_OPTIONS:FREQUENCY','500')");
  EXPECT_EQ(rows("cpu_sample_sum")[0], "50.0,5,10000000,50.0,5,10000000,hot,/bin/app");
  sql("UPDATE META_DATA_CAPTURE SET value = '0'");
  EXPECT_EQ(rows("cpu_sample_sum")[0], "50.0,5,,50.0,5,,hot,/bin/app");
}

// nsys's period may count cycles.
TEST_F(CpuSampleSumTest, NoTimeOfAnotherTrigger) {
  add_shares();
  sql("INSERT INTO META_DATA_CAPTURE VALUES ('LINUX_PERF_OPTIONS:SAMPLING_PERIOD','2450000')");
  EXPECT_EQ(rows("cpu_sample_sum")[0], "50.0,5,,50.0,5,,hot,/bin/app");
}

TEST_F(CpuSampleSumTest, CyclesWeigh) {
  add_samples(3, {{"light"}}, 9, 1000);
  add_samples(1, {{"heavy"}}, 9, 9000);
  set_interval("2000000");
  EXPECT_EQ(rows("cpu_sample_sum"),
            (Lines{"75.0,1,,75.0,1,,heavy,/bin/app", "25.0,3,,25.0,3,,light,/bin/app"}));
}

TEST_F(CpuSampleSumTest, HugeCyclesDoNotOverflow) {
  add_samples(2, {{"f"}}, 9, INT64_MAX);
  EXPECT_EQ(rows("cpu_sample_sum"), (Lines{"100.0,2,,100.0,2,,f,/bin/app"}));
}

TEST_F(CpuSampleSumTest, ByThreadAndProcess) {
  add_shares();
  set_interval("1000");
  EXPECT_EQ(rows("cpu_sample_sum:thread"), (Lines{"80.0,8,8000,9,9,", "20.0,2,2000,9,10,worker"}));
  EXPECT_EQ(rows("cpu_sample_sum:process"), (Lines{"100.0,10,10000,9,/bin/app"}));
}

TEST_F(CpuSampleSumTest, KernelAndUnresolvedCodeByModule) {
  add_samples(3, {kernel_frame("do_syscall"), unresolved("0x7f01", "/lib/libcuda.so.1"), {"main"}});
  add_samples(1, {unresolved("0x7f02", "/lib/libcuda.so.1"), {"main"}});
  EXPECT_EQ(rows("cpu_sample_sum"), (Lines{"75.0,3,,75.0,3,,do_syscall,[kernel.kallsyms]",
                                           "25.0,1,,100.0,4,,[libcuda.so.1],/lib/libcuda.so.1",
                                           "0.0,0,,100.0,4,,main,/bin/app"}));
  EXPECT_EQ(rows("cpu_sample_sum:module"),
            (Lines{"75.0,3,,75.0,3,,[kernel.kallsyms]", "25.0,1,,100.0,4,,/lib/libcuda.so.1",
                   "0.0,0,,100.0,4,,/bin/app"}));
}

TEST_F(CpuSampleSumTest, PythonByFunctionAndByLine) {
  add_samples(1, {python_frame("work", "/a.py", 7), python_frame("main", "/a.py", 20)});
  add_samples(1, {python_frame("work", "/a.py", 8), python_frame("main", "/a.py", 20)});
  EXPECT_EQ(rows("cpu_sample_sum"),
            (Lines{"100.0,2,,100.0,2,,work,/a.py", "0.0,0,,100.0,2,,main,/a.py"}));
  EXPECT_EQ(rows("cpu_sample_sum:line"),
            (Lines{"50.0,1,,50.0,1,,work,/a.py:7", "50.0,1,,50.0,1,,work,/a.py:8",
                   "0.0,0,,100.0,2,,main,/a.py:20"}));
}

TEST_F(CpuSampleSumTest, LinesOfNativeCode) {
  add_samples(1, {{"f", "/bin/app", "0,NULL,NULL,NULL,4096,7", "12"}, {"main"}});
  EXPECT_EQ(rows("cpu_sample_sum:line"),
            (Lines{"100.0,1,,100.0,1,,f,/bin/app:12", "0.0,0,,100.0,1,,main,/bin/app"}));
}

TEST_F(CpuSampleSumTest, MarksAndMissingChainsAreTold) {
  add_samples(1, {{"f"}, mark("[Broken backtraces]")});
  add_samples(1, {{"f"}, mark("[Max depth]")});
  // nsys's form of the same.
  add_samples(1, {{"f"}, {"[Broken backtraces]", "[Broken backtraces]", "0,0,0,NULL,NULL,0"}});
  add_samples(1, {});
  EXPECT_EQ(rows("cpu_sample_sum"),
            (Lines{"75.0,3,,75.0,3,,f,/bin/app", "25.0,1,,25.0,1,,[No call chain],",
                   "0.0,0,,50.0,2,,[Broken backtraces],", "0.0,0,,25.0,1,,[Max depth],"}));
}

// nsys's reports have no column of lines. Rows belong to their chain in any order.
TEST_F(CpuSampleSumTest, ReportsOfNsys) {
  add_shares();
  sql("ALTER TABLE SAMPLING_CALLCHAINS DROP COLUMN line;"
      "CREATE TABLE mixed AS SELECT * FROM SAMPLING_CALLCHAINS ORDER BY stackDepth, id DESC;"
      "DELETE FROM SAMPLING_CALLCHAINS; INSERT INTO SAMPLING_CALLCHAINS SELECT * FROM mixed");
  EXPECT_EQ(rows("cpu_sample_sum"),
            (Lines{"50.0,5,,50.0,5,,hot,/bin/app", "30.0,3,,30.0,3,,warm,/bin/app",
                   "20.0,2,,20.0,2,,recursive,/bin/app", "0.0,0,,100.0,10,,main,/bin/app"}));
  EXPECT_EQ(rows("cpu_sample_sum:line").size(), 4U);
}

// The statistics are the same from nsys's rows, from chains that are stored once, and from nsys's
// rows again, which a reader of the view sees.
TEST_F(CpuSampleSumTest, ChainsThatSamplesShare) {
  add_inlined();
  add_shares();
  add_samples(2, {kernel_frame("sys_read"), frame_at("read", 4000), mark("[Broken backtraces]")});
  add_samples(1, {});
  add_samples(1, {{"a"}, {"a"}});
  const std::vector<std::string> requests = {"cpu_sample_sum", "cpu_sample_sum:line",
                                             "cpu_sample_sum:module", "cpu_sample_tree"};
  std::map<std::string, Lines> before;
  for (const std::string& request : requests) before[request] = rows(request);
  const char* all = "SELECT * FROM SAMPLING_CALLCHAINS ORDER BY id, stackDepth";
  const Lines frames = stored_rows(all);
  share_chains();
  EXPECT_EQ(stored_rows(all), frames);
  EXPECT_EQ(stored_rows("SELECT count(*) FROM PROF_SAMPLE_CHAINS"), Lines{"8"});
  for (const std::string& request : requests) EXPECT_EQ(rows(request), before[request]) << request;
}

TEST_F(CpuSampleSumTest, DamagedSharedChains) {
  add_samples(1, {{"f"}, {"main"}});
  add_samples(1, {{"g"}, {"main"}});
  add_samples(2, {{"h"}, {"main"}});
  share_chains();
  sql("UPDATE PROF_SAMPLE_CHAINS SET frames = CASE id WHEN 1 THEN '[1,x' ELSE '[77,1,2]' END "
      "WHERE id < 3");
  EXPECT_EQ(rows("cpu_sample_sum"),
            (Lines{"50.0,2,,50.0,2,,h,/bin/app", "25.0,1,,25.0,1,,[No call chain],",
                   "25.0,1,,25.0,1,,f,/bin/app", "0.0,0,,75.0,3,,main,/bin/app"}));
  sql("UPDATE PROF_SAMPLE_CHAINS SET frames = '[' || id || ',]'");
  EXPECT_FALSE(rows("cpu_sample_sum").empty());
}

TEST_F(CpuSampleSumTest, OfATimeAndAProcess) {
  add_shares();
  EXPECT_EQ(rows("cpu_sample_sum", {5500, 7000, {}}),
            (Lines{"100.0,2,,100.0,2,,warm,/bin/app", "0.0,0,,100.0,2,,main,/bin/app"}));
  EXPECT_TRUE(rows("cpu_sample_sum", {0, 99999, {{test::global_id(8, 0) >> 24}}}).empty());
}

TEST_F(CpuSampleSumTest, WithoutChains) {
  add_shares();
  sql("DROP TABLE SAMPLING_CALLCHAINS");
  EXPECT_EQ(rows("cpu_sample_sum"), (Lines{"100.0,10,,100.0,10,,[No call chain],"}));
}

TEST_F(CpuSampleSumTest, SourceLinesAndInlinedFunctions) {
  add_inlined();
  EXPECT_EQ(rows("cpu_sample_sum"),
            (Lines{"60.0,6,,60.0,6,,step,/s/a.cpp:1", "30.0,3,,30.0,3,,step,/s/a.cpp:3",
                   "10.0,1,,10.0,1,,other,/bin/app", "0.0,0,,100.0,10,,main,/s/a.cpp:9",
                   "0.0,0,,90.0,9,,between,/s/b.h:2", "0.0,0,,90.0,9,,half,/s/a.cpp:5"}));
  EXPECT_EQ(rows("cpu_sample_sum:line"), rows("cpu_sample_sum"));
  EXPECT_EQ(rows("cpu_sample_sum:function"),
            (Lines{"90.0,9,,90.0,9,,step,/bin/app", "10.0,1,,10.0,1,,other,/bin/app",
                   "0.0,0,,100.0,10,,main,/bin/app", "0.0,0,,90.0,9,,between,/bin/app",
                   "0.0,0,,90.0,9,,half,/bin/app"}));
  EXPECT_EQ(rows("cpu_sample_sum:module"), (Lines{"100.0,10,,100.0,10,,/bin/app"}));
}

// An address may be a return address in one chain and a sampled address in another.
TEST_F(CpuSampleSumTest, LinesOfACallAndOfWhatFollowsIt) {
  add_lines(1000, false, {{"f", "/a.cpp", 8}});
  add_lines(1000, true, {{"f", "/a.cpp", 7}});
  add_lines(2000, false, {{"handled", "/a.cpp", 2}});
  add_samples(2, {frame_at("f", 1000)});
  add_samples(1, {frame_at("leaf", 9), frame_at("f", 1000), frame_at("handled", 2000)});
  EXPECT_EQ(rows("cpu_sample_sum"),
            (Lines{"66.7,2,,66.7,2,,f,/a.cpp:8", "33.3,1,,33.3,1,,leaf,/bin/app",
                   "0.0,0,,33.3,1,,f,/a.cpp:7", "0.0,0,,33.3,1,,handled,/a.cpp:2"}));
}

TEST_F(CpuSampleSumTest, DebugInformationNamesWhatHasNoSymbol) {
  add_lines(8192, false, {{"", "/a.cpp", 2}, {"hidden", "/a.cpp", 5}});
  add_samples(1, {unresolved("app+0x20", "/bin/app")});
  EXPECT_EQ(rows("cpu_sample_sum"),
            (Lines{"100.0,1,,100.0,1,,[app],/a.cpp:2", "0.0,0,,100.0,1,,hidden,/a.cpp:5"}));
}

}  // namespace
}  // namespace prof::stats
