#include "collector/ingest/cpu/cpu_builder.hpp"

#include <deque>

#include "tests/unit/collector/ingest/report_fixture.hpp"
#include "tests/unit/kernel_record_bytes.hpp"

namespace prof::ingest {
namespace {

using test::KernelRecordBytes;
using Type = spool::KernelRecordType;

class CpuBuilderTest : public ReportFixture {
 protected:
  KernelRecordBytes& cpu(std::uint32_t number) {
    numbers_.push_back(number);
    return kept_kernel_.emplace_back();
  }
  // Returns the number of the new node.
  std::uint32_t node(std::uint32_t caller, std::uint32_t module, std::uint64_t address,
                     std::uint64_t offset, std::uint8_t flags = 0) {
    nodes_.push_back({caller, module, address, offset, 6, flags, 0, 0});
    return static_cast<std::uint32_t>(nodes_.size());
  }
  void build_all(std::vector<spool::KernelSource> switches = {spool::KernelSource::kCpu}) {
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      spool_.kernel_pieces.push_back(
          {{numbers_[i], spool::KernelSource::kCpu}, kept_kernel_[i].bytes()});
    if (!nodes_.empty()) spool_.stack_pieces.push_back({{1, 0}, std::as_bytes(std::span(nodes_))});
    note(spool::CpuRecordingNote{.switches = switches});
    summary_ = build();
  }
  Rows samples() {
    return rows(
        "SELECT e.id, start, cpu, globalTid & 0xffffff, stackDepth, s.value, m.value, unresolved, "
        "kernelMode FROM COMPOSITE_EVENTS e LEFT JOIN SAMPLING_CALLCHAINS c ON c.id = e.id LEFT "
        "JOIN StringIds s ON s.id = symbol LEFT JOIN StringIds m ON m.id = module ORDER BY e.id, "
        "stackDepth");
  }
  Rows schedule() {
    return rows(
        "SELECT start, cpu, isSchedIn, globalTid & 0xffffff, threadState FROM SCHED_EVENTS ORDER "
        "BY start");
  }

  std::deque<KernelRecordBytes> kept_kernel_;
  std::vector<std::uint32_t> numbers_;
  std::vector<spool::StackNode> nodes_;
  BuildSummary summary_;
};

TEST_F(CpuBuilderTest, SamplesHaveTheirChainsInnermostFirst) {
  note(spool::StackModuleNote{.id = 2, .path = "/no/such/lib.so"});
  const std::uint32_t outer = node(0, 2, 0x7f0000001235, 0x1235);
  const std::uint32_t leaf = node(outer, 2, 0x7f0000001300, 0x1300, spool::kExactAddress);
  cpu(3).add(Type::kSample, 10, 5, 6, leaf).add(Type::kSample, 20, 5, 6, outer);
  build_all();
  EXPECT_EQ(samples(), (Rows{"1|10|3|6|0|lib.so+0x1300|/no/such/lib.so|1|0",
                             "1|10|3|6|1|lib.so+0x1234|/no/such/lib.so|1|0",
                             "2|20|3|6|0|lib.so+0x1234|/no/such/lib.so|1|0"}));
  EXPECT_EQ(rows("SELECT printf('%x', originalIP), unwindMethod FROM SAMPLING_CALLCHAINS WHERE id "
                 "= 2"),
            Rows{"7f0000001235|6"});
}

// Each place has one row, and only if its frame has rows. A file without a build-id must be the one
// that was mapped.
TEST_F(CpuBuilderTest, CodeOfFilesHasItsPlaces) {
  note(spool::StackModuleNote{.id = 2, .path = "/no/such/lib.so", .build_id = "12ab"});
  note(spool::StackModuleNote{.id = 3, .path = "/bin/sh"});
  note(spool::StackModuleNote{.id = 4, .path = "[vdso]", .build_id = "34cd"});
  note(spool::StackModuleNote{.id = 5, .path = "/tmp/perf-7.map", .jit_of = 7});
  note(spool::StackModuleNote{.id = 6, .path = "/bin/sh", .inode = 1, .modified = 1});
  const std::uint32_t outer = node(node(0, 6, 0x4001, 0x1001), 3, 0x5001, 0x1001);
  const std::uint32_t other = node(outer, 3, 0x5001, 0x1001);
  const std::uint32_t jit = node(other, 5, 0x6000, 0, spool::kJitCode);
  const std::uint32_t vdso = node(jit, 4, 0x7000, 0x10, spool::kExactAddress);
  const std::uint32_t leaf = node(outer, 2, 0x9000, 0x2000, spool::kExactAddress);
  const std::uint32_t returned = node(outer, 2, 0x9000, 0x2000);
  node(0, 2, 0xa000, 0x3000);  // in no sample
  cpu(0)
      .add(Type::kSample, 10, 5, 5, vdso)
      .add(Type::kSample, 20, 5, 5, leaf)
      .add(Type::kSample, 30, 5, 5, returned)
      .add(Type::kSample, 40, 5, 5, leaf);
  build_all();
  EXPECT_EQ(rows("SELECT m.value, printf('%x', originalIP), isReturnAddress, printf('%x', "
                 "fileOffset), b.value FROM PROF_CODE_PLACES JOIN StringIds m ON m.id = module "
                 "LEFT JOIN StringIds b ON b.id = buildId ORDER BY 2, 3"),
            (Rows{"/bin/sh|5001|1|1001|-", "/no/such/lib.so|9000|0|2000|12ab",
                  "/no/such/lib.so|9000|1|2000|12ab"}));
}

TEST_F(CpuBuilderTest, MarksKernelFramesAndUnknownCode) {
  const std::uint32_t mark = node(0, 0, 0, 0, spool::kBrokenMark);
  const std::uint32_t user = node(mark, spool::kNoModule, 0x5001, 0);
  const std::uint32_t kernel =
      node(user, spool::kKernelModule, 0xffffffff81000010, 0, spool::kExactAddress);
  cpu(0).add(Type::kSample, 10, 5, 5, kernel);
  build_all();
  EXPECT_EQ(samples(), (Rows{"1|10|0|5|0|0xffffffff81000010|[kernel.kallsyms]|1|1",
                             "1|10|0|5|1|0x5000|[Unknown]|1|0",
                             "1|10|0|5|2|[Broken backtraces]|[Unknown]|1|0"}));
  EXPECT_EQ(rows("SELECT thumbCode, specialEntry FROM SAMPLING_CALLCHAINS ORDER BY stackDepth"),
            (Rows{"0|-", "0|-", "0|1"}));
}

TEST_F(CpuBuilderTest, DamagedTreesEnd) {
  const std::uint32_t self = node(1, 0, 0x1000, 0);   // its own caller
  const std::uint32_t later = node(9, 0, 0x2000, 0);  // its caller does not exist
  cpu(0)
      .add(Type::kSample, 10, 5, 5, self)
      .add(Type::kSample, 20, 5, 5, later)
      .add(Type::kSample, 30, 5, 5, 1000)
      .add(Type::kSample, 40, 5, 5, 0);
  build_all();
  EXPECT_EQ(rows("SELECT id, count(*) FROM SAMPLING_CALLCHAINS GROUP BY 1"), (Rows{"1|1", "2|1"}));
  EXPECT_EQ(rows("SELECT count(*) FROM COMPOSITE_EVENTS"), Rows{"4"});
}

TEST_F(CpuBuilderTest, RunsAndWaits) {
  cpu(0)
      .name(1, 5, 5, "program", spool::kNameFromExec)  // recording starts while it runs
      .add(Type::kSwitchOut, 10, 5, 5)
      .add(Type::kSwitchIn, 20, 5, 5)
      .add(Type::kFork, 25, 5, 6, 5)
      .add(Type::kSwitchOut, 30, 5, 5, 0, spool::kPreempted);
  cpu(1)
      .add(Type::kSwitchIn, 26, 5, 6)
      .add(Type::kThreadEnd, 40, 5, 6)
      .add(Type::kSwitchOut, 41, 5, 6)  // after its end
      .add(Type::kSwitchIn, 50, 5, 5);
  build_all();
  EXPECT_EQ(schedule(), (Rows{"1|0|1|5|0", "10|0|0|5|7", "20|0|1|5|0", "26|1|1|6|0", "30|0|0|5|6",
                              "40|1|0|6|5", "50|1|1|5|0"}));
  EXPECT_EQ(rows("SELECT globalTid & 0xffffff, value FROM ThreadNames JOIN StringIds s ON s.id = "
                 "nameId WHERE globalTid & 0xffffff < 10 ORDER BY 1"),
            (Rows{"5|program", "6|program"}));
}

// The kernel has no number for a thread that has ended, and can preempt it before it has stopped.
TEST_F(CpuBuilderTest, EndedThreadsDoNotRunOn) {
  cpu(0)
      .add(Type::kSwitchIn, 10, 5, 6)
      .add(Type::kThreadEnd, 20, 5, 6)
      .add(Type::kSwitchOut, 21, 5, 6, 0, spool::kPreempted)
      .add(Type::kSwitchIn, 22, 5, 6)
      .add(Type::kSwitchOut, 23, ~0U, ~0U)
      .add(Type::kSwitchIn, 30, 5, 7)
      .add(Type::kSwitchOut, 40, ~0U, ~0U)  // without a record of its end
      .add(Type::kFork, 45, 5, 6, 5)        // its number is used again
      .add(Type::kSwitchIn, 50, 5, 6)
      .add(Type::kSwitchOut, 60, 5, 6);
  build_all();
  EXPECT_EQ(schedule(), (Rows{"10|0|1|6|0", "20|0|0|6|5", "30|0|1|7|0", "40|0|0|7|5", "50|0|1|6|0",
                              "60|0|0|6|7"}));
}

TEST_F(CpuBuilderTest, ACpuRunsOneThreadAtATime) {
  cpu(0)
      .add(Type::kSwitchIn, 10, 5, 6)
      .add(Type::kSwitchIn, 29, 0, 0)  // the idle thread; what came before was lost
      .add(Type::kSwitchOut, 30, 0, 0)
      .add(Type::kSwitchIn, 31, 5, 7)
      .add(Type::kSwitchOut, 40, 5, 7);
  cpu(1).add(Type::kSwitchIn, 35, 5, 6).add(Type::kSwitchOut, 50, 5, 6);
  build_all();
  EXPECT_EQ(schedule(), (Rows{"10|0|1|6|0", "29|0|0|6|0", "31|0|1|7|0", "35|1|1|6|0", "40|0|0|7|7",
                              "50|1|0|6|7"}));
}

// The first process ends in the report when the second one with its pid begins.
TEST_F(CpuBuilderTest, AProcessThatBecomesAnotherOneWhileItRuns) {
  for (const auto& [serial, time] : {std::pair{20U, 5U}, {21U, 20U}})
    note(spool::ProcessNote{
        .serial = serial, .pid = 5, .own_pid = 5, .time = time, .name = "/bin/x", .exec_of = 0});
  cpu(0).add(Type::kSwitchIn, 10, 5, 5).add(Type::kSwitchOut, 30, 5, 5);
  build_all();
  EXPECT_EQ(rows("SELECT start, isSchedIn, globalTid >> 48, threadState FROM SCHED_EVENTS ORDER BY "
                 "start, isSchedIn"),
            (Rows{"10|1|1|0", "20|0|1|5", "20|1|2|0", "30|0|2|7"}));
}

// A name does not mean that they start to run. Tasks without other records have no rows.
TEST_F(CpuBuilderTest, WhoWasThereBeforeIsNamed) {
  cpu(spool::kNoCpu)
      .name(15, 5, 5, "server", spool::kNameFromProc)
      .name(16, 5, 6, "worker", spool::kNameFromProc)
      .name(17, 7, 7, "idle", spool::kNameFromProc);
  cpu(0)
      .add(Type::kSwitchIn, 10, 5, 6)
      .add(Type::kSample, 20, 5, 6)
      .add(Type::kSwitchOut, 30, 5, 6);
  build_all();
  EXPECT_EQ(schedule(), (Rows{"10|0|1|6|0", "30|0|0|6|7"}));
  EXPECT_EQ(rows("SELECT globalTid & 0xffffff, value FROM ThreadNames JOIN StringIds s ON s.id = "
                 "nameId WHERE globalTid & 0xffffff < 10"),
            Rows{"6|worker"});
  EXPECT_EQ(rows("SELECT pid, name FROM PROCESSES WHERE pid < 10"), Rows{"5|server"});
}

TEST_F(CpuBuilderTest, WithoutSwitchesNobodyIsSaidToRun) {
  cpu(0).name(1, 5, 5, "program", spool::kNameFromExec).add(Type::kThreadEnd, 40, 5, 5);
  build_all({});
  EXPECT_FALSE(reader_->has_table("SCHED_EVENTS"));
}

TEST_F(CpuBuilderTest, TheKernelReportsDropsInTwoWays) {
  note(spool::KernelLostNote{spool::KernelSource::kCpu, 100});
  cpu(0).add(Type::kLost, 20, 5, 5, 12);
  build_all();
  EXPECT_EQ(summary_.dropped, 100U);
  EXPECT_EQ(rows("SELECT text FROM DIAGNOSTIC_EVENT WHERE text LIKE '%dropped%'").size(), 1U);
}

TEST_F(CpuBuilderTest, SamplesThatProcessesTookAreInTheOrderOfTheirTimes) {
  note(spool::StackModuleNote{.id = 2, .path = "/no/such/lib.so"});
  const std::uint32_t leaf = node(0, 2, 0x7f0000001300, 0x1300, spool::kExactAddress);
  const auto sample = [&](std::uint64_t time, std::uint32_t cpu, std::uint32_t periods) {
    return wire::CpuSampleNodeRecord{
        {sizeof(wire::CpuSampleNodeRecord), wire::RecordType::kCpuSampleNode, 0, leaf},
        time,
        cpu,
        periods};
  };
  test::RecordBytes first, second;
  first.add(sample(100, 1, 1)).add(sample(300, 1, 4));
  second.add(sample(200, 2, 0)).add(sample(400, 2, ~0U));
  add_thread(16, 100, first);
  add_thread(16, 101, second);
  build_all();
  EXPECT_EQ(rows("SELECT id, start, cpu, globalTid & 0xffffff, cpuCycles FROM COMPOSITE_EVENTS "
                 "ORDER BY id"),
            (Rows{"1|100|1|100|1", "2|200|2|101|1", "3|300|1|100|4", "4|400|2|101|1073741824"}));
  EXPECT_EQ(samples().front(), "1|100|1|100|0|lib.so+0x1300|/no/such/lib.so|1|0");
  EXPECT_EQ(summary_.events, 4U);
}

}  // namespace
}  // namespace prof::ingest
