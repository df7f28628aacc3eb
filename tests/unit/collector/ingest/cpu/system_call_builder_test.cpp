#include "collector/ingest/cpu/system_call_builder.hpp"

#include <sys/syscall.h>

#include <deque>

#include "collector/ingest/cpu/machine/exit_numbers.hpp"
#include "tests/unit/collector/ingest/report_fixture.hpp"
#include "tests/unit/kernel_record_bytes.hpp"

namespace prof::ingest {
namespace {

using test::KernelRecordBytes;
using Type = spool::KernelRecordType;

constexpr std::uint32_t kRead = SYS_read, kWrite = SYS_write, kClone = SYS_clone,
                        kFutex = SYS_futex, kExecve = SYS_execve, kExitGroup = SYS_exit_group,
                        kSigreturn = SYS_rt_sigreturn;

class SystemCallBuilderTest : public ReportFixture {
 protected:
  KernelRecordBytes& cpu(std::uint32_t number) {
    numbers_.push_back(number);
    return kept_kernel_.emplace_back();
  }
  void build_all() {
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      spool_.kernel_pieces.push_back({{numbers_[i]}, kept_kernel_[i].bytes()});
    summary_ = build();
  }
  // start, end, tid, name
  Rows calls() {
    return reader_->has_table("SYSCALL")
               ? rows(
                     "SELECT start, end, globalTid & 0xffffff, value FROM SYSCALL JOIN StringIds s "
                     "ON s.id = nameId ORDER BY start")
               : Rows{};
  }
  Rows diagnostics(const std::string& word) {
    return rows("SELECT text FROM DIAGNOSTIC_EVENT WHERE text LIKE '%" + word + "%'");
  }
  std::deque<KernelRecordBytes> kept_kernel_;
  std::vector<std::uint32_t> numbers_;
  BuildSummary summary_;
};

TEST_F(SystemCallBuilderTest, PairsByThreadWhateverTheCpu) {
  cpu(0).add(Type::kEnter, 10, 5, 5, kRead).add(Type::kExit, 25, 5, 6, kWrite);
  cpu(1).add(Type::kEnter, 15, 5, 6, kWrite).add(Type::kExit, 20, 5, 5, kRead);
  build_all();
  EXPECT_EQ(calls(), (Rows{"10|20|5|read", "15|25|6|write"}));
  EXPECT_EQ(rows("SELECT eventClass, callchainId, globalTid >> 24 & 0xffffff FROM SYSCALL"),
            (Rows{"107|-|5", "107|-|5"}));
  EXPECT_EQ(summary_.events, 2U);
  EXPECT_EQ(diagnostics("System calls: 2."), Rows{"System calls: 2."});
}

TEST_F(SystemCallBuilderTest, AReturnWithoutACallIsNone) {
  cpu(0)
      .add(Type::kExit, 10, 5, 5, kClone)
      .call(11, 12, 5, 5, kRead)
      .add(Type::kExit, 13, 5, 5, kRead);
  build_all();
  EXPECT_EQ(calls(), Rows{"11|12|5|read"});
}

TEST_F(SystemCallBuilderTest, SignalReturnsHaveLostTheirNumber) {
  cpu(0).add(Type::kEnter, 10, 5, 5, kSigreturn).add(Type::kExit, 12, 5, 5, ~0U);
  build_all();
  EXPECT_EQ(calls(), Rows{"10|12|5|rt_sigreturn"});
}

TEST_F(SystemCallBuilderTest, EndsThatDoNotFitMakeNoRow) {
  cpu(0)
      .add(Type::kEnter, 10, 5, 5, kRead)
      .add(Type::kExit, 12, 5, 5, kWrite)  // of another call
      .add(Type::kEnter, 20, 5, 5, kRead)  // its end was dropped
      .call(30, 31, 5, 5, kWrite)
      .add(Type::kEnter, 40, 5, 5, kRead)
      .add(Type::kThreadEnd, 41, 5, 5);
  build_all();
  EXPECT_EQ(calls(), Rows{"30|31|5|write"});
}

TEST_F(SystemCallBuilderTest, ExitEndsWithItsThread) {
  cpu(0).add(Type::kEnter, 10, 5, 5, kExitGroup).add(Type::kThreadEnd, 17, 5, 5);
  cpu(1)
      .add(Type::kEnter, 10, 6, 6, kExitGroupOf32Bit, spool::kCallOf32Bit)
      .add(Type::kThreadEnd, 18, 6, 6);
  build_all();
  EXPECT_EQ(calls(), (Rows{"10|17|5|exit_group",
                           "10|18|6|syscall_" + std::to_string(kExitGroupOf32Bit) + " (32-bit)"}));
}

TEST_F(SystemCallBuilderTest, NumbersOf32BitProgramsAreNotLookedUp) {
  cpu(0).add(Type::kEnter, 10, 5, 5, 3, spool::kCallOf32Bit).add(Type::kExit, 12, 5, 5, 3);
  build_all();
  EXPECT_EQ(calls(), Rows{"10|12|5|syscall_3 (32-bit)"});
}

TEST_F(SystemCallBuilderTest, AnExecOfAnotherThreadEndsAsTheMainThread) {
  cpu(0)
      .call(5, 6, 5, 5, kRead)
      .add(Type::kEnter, 8, 5, 5, kFutex)  // the main thread waits and ends
      .add(Type::kEnter, 10, 5, 7, kExecve)
      .add(Type::kExit, 11, 5, 5, kFutex)
      .add(Type::kThreadEnd, 12, 5, 5)
      .name(13, 5, 5, "other", spool::kNameFromExec)
      .add(Type::kExit, 14, 5, 5, kExecve)
      .call(20, 21, 5, 5, kRead);
  build_all();
  EXPECT_EQ(calls(), (Rows{"5|6|5|read", "8|11|5|futex", "10|14|7|execve", "20|21|5|read"}));
  EXPECT_EQ(rows("SELECT pid, name FROM PROCESSES WHERE pid = 5"), Rows{"5|other"});
}

TEST_F(SystemCallBuilderTest, CallsInProgressEndWithTheSession) {
  cpu(0).add(Type::kEnter, 10, 5, 5, kRead);
  build_all();
  EXPECT_EQ(calls(), Rows{"10|1000000|5|read"});
  EXPECT_EQ(diagnostics("in progress").size(), 1U);
}

TEST_F(SystemCallBuilderTest, DropsAreReportedAndCallsAcrossThemAreLeftOut) {
  cpu(0)
      .add(Type::kEnter, 10, 5, 5, kRead)
      .add(Type::kLost, 20, 5, 5, 12)
      .add(Type::kExit, 30, 5, 5, kRead)    // the end of which read?
      .add(Type::kEnter, 40, 5, 5, kRead);  // did it return?
  cpu(1).add(Type::kEnter, 11, 6, 6, kRead).add(Type::kExit, 31, 6, 6, kRead);
  build_all();
  EXPECT_EQ(calls(), Rows{"11|31|6|read"});
  EXPECT_EQ(summary_.dropped, 12U);
  EXPECT_EQ(diagnostics("dropped"),
            Rows{"12 records of system calls (two per call) were dropped because the kernel's "
                 "buffer was full. Calls that are missing because one of their records was "
                 "dropped: 2."});
}

TEST_F(SystemCallBuilderTest, TheKernelsOwnCountOfDropsCountsIfItIsHigher) {
  note(spool::KernelLostNote{spool::KernelSource::kSystemCalls, 100});
  cpu(0).add(Type::kLost, 20, 5, 5, 12);
  build_all();
  EXPECT_EQ(summary_.dropped, 100U);
}

TEST_F(SystemCallBuilderTest, ThoseThatOnlyTheKernelSawGetNames) {
  cpu(0)
      .name(1, 5, 5, "program", spool::kNameFromExec)
      .call(2, 3, 5, 5, kRead)
      .add(Type::kFork, 4, 5, 6, 5)  // a thread
      .name(5, 5, 6, "worker")
      .call(6, 7, 5, 6, kRead)
      .add(Type::kThreadEnd, 8, 5, 6)
      .add(Type::kFork, 9, 7, 7, 5)  // a child
      .call(10, 11, 7, 7, kRead)
      .add(Type::kFork, 12, 8, 8, 5);                           // one without a call
  cpu(1).name(1, 100, 100, "app").call(2, 3, 100, 100, kRead);  // known as /bin/app
  build_all();
  EXPECT_EQ(rows("SELECT pid, name FROM PROCESSES ORDER BY pid"),
            (Rows{"5|program", "7|program", "100|/bin/app"}));
  EXPECT_EQ(rows("SELECT globalTid & 0xffffff, value FROM ThreadNames JOIN StringIds s ON s.id = "
                 "nameId ORDER BY 1"),
            (Rows{"5|program", "6|worker", "7|program", "100|app"}));
}

TEST_F(SystemCallBuilderTest, ThreadsOfOtherPidNamespacesAreLeftOut) {
  cpu(0).call(1, 2, 0, 0, kRead).call(3, 4, 5, ~0U, kRead);
  build_all();
  EXPECT_TRUE(calls().empty());
}

TEST_F(SystemCallBuilderTest, DamageIsCounted) {
  spool_.kernel_pieces.push_back({{0}, cpu(0).call(1, 2, 5, 5, kRead).bytes().first(30)});
  numbers_.clear();
  build_all();
  EXPECT_EQ(summary_.corrupt_bytes, 6U);
}

}  // namespace
}  // namespace prof::ingest
