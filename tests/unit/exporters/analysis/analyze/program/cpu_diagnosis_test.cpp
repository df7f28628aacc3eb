// The findings about what a program does on CPUs. Each has a report with the problem and one
// without.
#include <algorithm>

#include "tests/unit/exporters/analysis/analyze/program_fixture.hpp"

namespace prof::test {

namespace {

using Shares = std::vector<std::string>;
using analyze::Diagnosis;

class CpuFindingsTest : public ProgramFixture {
 protected:
  // Two threads take turns on the CPUs, and one of them always waits for its turn.
  void share_cpus(const std::vector<std::int64_t>& cpus) {
    std::size_t turn = 0;
    for (std::int64_t ms = 0; ms < 100; ms += 5) {
      const std::int64_t cpu = cpus[turn % cpus.size()];
      const std::int64_t thread = turn++ % 2 == 0 ? 9 : 10;
      add_switch_on(cpu, ms * kMs, true, kRuns, thread);
      add_switch_on(cpu, (ms + 5) * kMs, false, kPreempted, thread);
    }
    ends(100);
  }
  bool finds_uneven_threads() {
    ends(100);
    return std::ranges::any_of(diagnosis().findings, [](const auto& each) {
      return each.rule == std::string("uneven_threads");
    });
  }
  void gil(std::int64_t from, std::int64_t to, const std::string& name, std::int64_t tid) {
    sql("CREATE TABLE IF NOT EXISTS NVTX_EVENTS (start, end, eventType, text, textId, globalTid, "
        "domainId, endGlobalTid); INSERT INTO NVTX_EVENTS VALUES (" +
        std::to_string(from * kMs) + "," + std::to_string(to * kMs) + ",59,NULL," + text(name) +
        "," + std::to_string(global_id(9, tid)) + ",1,NULL);");
  }
};

TEST_F(CpuFindingsTest, AFunctionThatTakesMostOfTheTime) {
  runs(0, 100, 9);
  samples(0, 60, {{"hot"}, {"main"}});
  samples(60, 70, {{"warm"}, {"main"}});
  samples(70, 85, {{"cool"}, {"main"}});
  samples(85, 100, {{"cold"}, {"main"}});
  ends(100);
  const Diagnosis found = diagnosis();
  EXPECT_EQ(found.verdict.bound, "CPU compute bound (one thread)");
  EXPECT_EQ(shares(found), Shares{"hot_function 60"});
  EXPECT_EQ(found.findings.front().evidence,
            "hot (/bin/app), called by main (/bin/app); 60 samples; then cool (15.0 %), cold "
            "(15.0 %)");
  // From the first to the last sample of the function, in the thread with the most of them.
  ASSERT_TRUE(found.findings.front().where);
  EXPECT_EQ(found.findings.front().where->thread, global_id(9, 9));
  EXPECT_GE(found.findings.front().where->time.start, 0);
  EXPECT_LE(found.findings.front().where->time.end, 60 * kMs);
  EXPECT_GE(found.findings.front().where->time.length(), 58 * kMs);
}

// A library's time counts for the function of the program that called it.
TEST_F(CpuFindingsTest, TheUserOfALibraryIsNamed) {
  runs(0, 100, 9);
  samples(0, 40, {{"__memmove_avx", "/lib/libc.so.6"}, {"copy_rows"}, {"load"}, {"main"}});
  for (int i = 0; i < 6; ++i)
    samples(40 + i * 10, 50 + i * 10, {{"part" + std::to_string(i)}, {"main"}});
  ends(100);
  const Diagnosis found = diagnosis();
  EXPECT_EQ(shares(found), Shares{"hot_function 40"});
  EXPECT_EQ(found.findings.front().evidence,
            "copy_rows (/bin/app), 100 % of it in memmove_avx, called by load (/bin/app); 40 "
            "samples; then part0 (10.0 %), part1 (10.0 %)");
}

// No function takes much time itself, but parse and what it calls take nearly half of it.
TEST_F(CpuFindingsTest, TheVerdictNamesFunctionsByTheTimeOfAllThatTheyCall) {
  const TestFrame module = python_frame("<module>", "/home/me/run.py", 40);
  const TestFrame item = python_frame("Dataset.item", "/home/me/run.py", 30);
  const TestFrame parse = python_frame("Dataset.parse", "/home/me/run.py", 15);
  runs(0, 100, 9);
  python_samples(0, 20,
                 {python_frame("match", "/usr/lib/python3.12/re.py", 9), parse, item, module});
  python_samples(20, 45, {python_frame("field", "/home/me/run.py", 3), parse, item, module});
  python_samples(45, 80, {python_frame("Dataset.noise", "/home/me/run.py", 20), item, module});
  python_samples(80, 100, {python_frame("Dataset.known", "/home/me/run.py", 25), item, module});
  ends(100);
  EXPECT_TRUE(diagnosis().verdict.sentence.ends_with(
      "100.0 % computing; most CPU time, with all that they call: Dataset.parse (run.py:15) 45.0 "
      "%, Dataset.noise (run.py:20) 35.0 %, field (run.py:3) 25.0 %"))
      << diagnosis().verdict.sentence;
}

TEST_F(CpuFindingsTest, SharesOfFewSamplesSaySo) {
  runs(0, 100, 9);
  samples(0, 3, {{"task"}, {"main"}});
  ends(100);
  const std::string sentence = diagnosis().verdict.sentence;
  EXPECT_TRUE(sentence.ends_with("task (app) 100.0 % (of only 3 samples)")) << sentence;
}

TEST_F(CpuFindingsTest, FunctionsOfEqualTimeAreNotHot) {
  runs(0, 100, 9);
  for (int i = 0; i < 10; ++i)
    samples(i * 10, i * 10 + 10, {{"part" + std::to_string(i)}, {"main"}});
  ends(100);
  EXPECT_EQ(shares(diagnosis()), Shares{});
}

TEST_F(CpuFindingsTest, APythonFunctionAndNotItsInterpreter) {
  runs(0, 100, 9);
  samples(0, 100, {{"_PyEval_EvalFrameDefault", "/lib/libpython3.12.so"}});
  python_samples(0, 70, {python_frame("slow", "/x.py", 12), python_frame("main", "/x.py", 30)});
  python_samples(70, 85, {python_frame("main", "/x.py", 30)});
  python_samples(85, 100, {python_frame("other", "/x.py", 33)});
  ends(100);
  const Diagnosis found = diagnosis();
  EXPECT_EQ(shares(found), Shares{"hot_python_function 70"});
  EXPECT_TRUE(found.findings.front().evidence.starts_with("slow (/x.py:12), called by main (/x.py"))
      << found.findings.front().evidence;
}

TEST_F(CpuFindingsTest, ImportsOfPython) {
  runs(0, 200, 9);
  python_samples(0, 120,
                 {python_frame("<module>", "/lib/heavy.py", 3),
                  python_frame("_call_with_frames_removed", "<frozen importlib._bootstrap>", 488),
                  python_frame("<module>", "/x.py", 1)});
  ends(200);
  const Diagnosis found = diagnosis();
  EXPECT_EQ(shares(found), Shares{"python_imports 60"});
  EXPECT_EQ(found.findings.front().evidence, "100.0 % of it in the import by <module> (/x.py:1)");
}

TEST_F(CpuFindingsTest, ThreadsThatWaitForTheInterpreterLock) {
  runs(0, 100, 9);
  runs(0, 20, 10);
  gil(0, 100, "Holding GIL", 9);
  gil(20, 100, "Waiting for GIL", 10);
  python_samples(0, 100, {python_frame("busy", "/x.py", 5)});
  ends(100);
  const Diagnosis found = diagnosis();
  EXPECT_EQ(shares(found), (Shares{"hot_python_function 50", "interpreter_lock 40"}));
  EXPECT_EQ(found.findings.back().evidence,
            "1 thread waits; meanwhile thread 9 holds it for 80 ms; what runs then is mostly busy "
            "(/x.py:5)");
}

TEST_F(CpuFindingsTest, PageFaultsAndMappings) {
  runs(0, 100, 9);
  samples(0, 40, {kernel_frame("clear_page"), kernel_frame("asm_exc_page_fault"), {"fill"}});
  samples(40, 60,
          {kernel_frame("unmap"),
           kernel_frame("__x64_sys_munmap"),
           {"munmap", "/lib/libc.so.6"},
           {"fill"}});
  for (int i = 0; i < 4; ++i) samples(60 + i * 10, 70 + i * 10, {{"part" + std::to_string(i)}});
  ends(100);
  const Diagnosis found = diagnosis();
  EXPECT_EQ(shares(found), Shares{"memory_mapping 60"});
  EXPECT_EQ(found.findings.front().evidence,
            "40 ms in page faults, 20 ms in mmap, munmap and similar calls, most for fill "
            "(/bin/app)");
}

TEST_F(CpuFindingsTest, PageFaultsThatHappenOnce) {
  runs(0, 100, 9);
  samples(0, 19, {kernel_frame("clear_page"), kernel_frame("asm_exc_page_fault"), {"fill"}});
  samples(19, 50, {kernel_frame("do_wp_page"), kernel_frame("asm_exc_page_fault"), {"child"}});
  samples(
      50, 80,
      {kernel_frame("asm_exc_page_fault"), {"relocate", "/lib/ld-linux-x86-64.so.2"}, {"main"}});
  samples(80, 100, {{"work"}, {"main"}});
  ends(100);
  const auto findings = diagnosis().findings;
  EXPECT_TRUE(std::ranges::none_of(
      findings, [](const auto& each) { return each.rule == std::string("memory_mapping"); }));
}

TEST_F(CpuFindingsTest, ThreadsWithoutACpu) {
  share_cpus({0});
  const Diagnosis found = diagnosis();
  EXPECT_EQ(found.findings.front().rule, std::string("too_few_cpus"));
  EXPECT_GE(100 * found.findings.front().at_stake / found.span, 45);
  EXPECT_EQ(found.findings.front().sentence.find("Other programs"), std::string::npos);
}

TEST_F(CpuFindingsTest, ThreadsOfOneFunctionWithUnequalWork) {
  runs(0, 100, 11);
  runs(0, 20, 12);
  samples(0, 100, {{"encode"}, {"work"}}, 11);
  samples(0, 20, {{"encode"}, {"work"}}, 12);
  EXPECT_TRUE(finds_uneven_threads());
}

TEST_F(CpuFindingsTest, ThreadsOfTwoFunctionsHaveTheirOwnWork) {
  runs(0, 100, 11);
  runs(0, 20, 12);
  samples(0, 100, {{"encode"}, {"work"}}, 11);
  samples(0, 20, {{"encode"}, {"feed"}}, 12);
  EXPECT_FALSE(finds_uneven_threads());
}

TEST_F(CpuFindingsTest, AThreadWithoutACpuHasNotLessWork) {
  runs(0, 100, 11);
  in(0, 12);
  out(20, 12, kPreempted);
  samples(0, 100, {{"work"}}, 11);
  samples(0, 20, {{"work"}}, 12);
  EXPECT_FALSE(finds_uneven_threads());
}

// Two threads that use both CPUs, but never at once: other programs have one of them.
TEST_F(CpuFindingsTest, OneOfTwoCpusIsAlwaysTaken) {
  share_cpus({0, 1});
  const Diagnosis found = diagnosis();
  EXPECT_EQ(found.findings.back().rule, std::string("too_few_cpus"));
  EXPECT_NE(found.findings.back().sentence.find("Other programs"), std::string::npos);
}

// One thread, which loses its CPU to other programs: that is not the program's fault.
TEST_F(CpuFindingsTest, CpusThatOtherProgramsTake) {
  for (std::int64_t ms = 0; ms < 100; ms += 20) {
    in(ms, 9);
    samples(ms, ms + 8, {{"hot"}, {"main"}});
    out(ms + 8, 9, kPreempted);
  }
  ends(100);
  const Diagnosis found = diagnosis();
  EXPECT_EQ(found.verdict.bound, "CPU compute bound (one thread)");
  ASSERT_EQ(shares(found).size(), 2U);
  EXPECT_EQ(found.findings[0].rule, std::string("hot_function"));
  EXPECT_EQ(found.findings[1].rule, std::string("too_few_cpus"));
  EXPECT_GT(found.findings[1].at_stake, found.findings[0].at_stake);
  EXPECT_NE(found.findings[1].sentence.find("Other programs"), std::string::npos);
  EXPECT_EQ(found.findings[1].remedy.find("threads"), std::string::npos);
}

TEST_F(CpuFindingsTest, OneWorkerDoesMostOfTheWork) {
  runs(0, 1, 9);
  call(1, 100, "pthread_join");
  runs(0, 100, 10);
  runs(0, 20, 11);
  runs(0, 20, 12);
  ends(100);
  for (const int tid : {11, 12})
    sql("INSERT INTO ThreadNames VALUES (" + text("worker") + ",20," +
        std::to_string(global_id(9, tid)) + ")");
  const Diagnosis found = diagnosis();
  EXPECT_EQ(shares(found), Shares{"uneven_threads 53"});
  EXPECT_EQ(found.findings.front().evidence,
            "thread 10 (worker) ran for 100 ms, 2 other threads for 20 ms each on average");
}

TEST_F(CpuFindingsTest, ThreadsThatRunOneAfterTheOtherAreNotUneven) {
  runs(0, 1, 9);
  call(1, 100, "pthread_join");
  for (const auto& [start, end, tid] : {std::tuple{1, 10, 10}, {10, 20, 11}, {20, 99, 12}}) {
    in(start, tid);
    out(end, tid, kEnds);
  }
  ends(100);
  EXPECT_EQ(shares(diagnosis()), Shares{});
}

TEST_F(CpuFindingsTest, WorkersWithEqualWorkAreEven) {
  runs(0, 1, 9);
  call(1, 100, "pthread_join");
  for (const int tid : {10, 11, 12}) runs(0, 95, tid);
  ends(100);
  EXPECT_EQ(shares(diagnosis()), Shares{});
}

TEST_F(CpuFindingsTest, ManyShortProcesses) {
  for (std::int64_t i = 0; i < 30; ++i) {
    const std::string tid = std::to_string(global_id(100 + i, 100 + i));
    for (const auto& [time, row] : {std::pair{10 * i, "1,"}, std::pair{10 * i + 9, "0,"}})
      sql("INSERT INTO SCHED_EVENTS VALUES (" + std::to_string(time * kMs) + ",0," + row + tid +
          (row[0] == '1' ? ",0,NULL)" : ",5,NULL)"));
    sql("INSERT INTO PROCESSES VALUES (" + std::to_string(global_id(100 + i, 0)) + "," +
        std::to_string(100 + i) + ",'/bin/true')");
  }
  runs(0, 1, 9);
  call(1, 300, "waitpid");
  ends(300);
  const Diagnosis found = diagnosis();
  EXPECT_EQ(shares(found), Shares{"short_processes 89"});
  EXPECT_EQ(found.findings.front().evidence,
            "30 processes of 9 ms on average; 30 of them are /bin/true");
}

TEST_F(CpuFindingsTest, WhatIsNotRecordedIsNamed) {
  call(0, 100, "recv");
  const Diagnosis found = diagnosis();
  EXPECT_EQ(found.verdict.bound, "waiting for the network");
  ASSERT_EQ(found.not_recorded.size(), 2U);
  EXPECT_NE(found.not_recorded[0].find("--cpuctxsw=process-tree"), std::string::npos);
  EXPECT_NE(found.not_recorded[1].find("-s process-tree"), std::string::npos);
}

TEST_F(CpuFindingsTest, AReportOfNothing) { EXPECT_EQ(diagnosis().verdict.bound, "no GPU work"); }

TEST_F(CpuFindingsTest, AProgramThatSleepsAllTheTime) {
  sql("INSERT INTO META_DATA_CAPTURE VALUES ('LINUX_PERF_OPTIONS:COLLECT_CPU_CTXSW_TRACE','true')");
  const Diagnosis found = diagnosis();
  EXPECT_EQ(found.verdict.bound, "idle");
  EXPECT_TRUE(std::ranges::none_of(found.not_recorded, [](const std::string& each) {
    return each.find("when threads run") != std::string::npos;
  }));
}

}  // namespace

}  // namespace prof::test
