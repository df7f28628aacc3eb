#include "collector/ingest/openmp/openmp_builder.hpp"

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using wire::OpenMpEvent;

class OpenMpBuilderTest : public ReportFixture {
 protected:
  static constexpr std::uint64_t kTask = wire::kOpenMpExplicit | 3;

  void begin(OpenMpEvent event, std::uint64_t time, std::uint64_t parallel, std::uint64_t task,
             std::uint32_t kind = 0, std::uint64_t object = 0, std::uint64_t code = 0) {
    records_.add(wire::OpenMpBeginRecord{
        test::header<wire::OpenMpBeginRecord>(wire::RecordType::kOpenMpBegin, kind,
                                              static_cast<std::uint8_t>(event)),
        time, parallel, task, object, code});
  }
  void end(OpenMpEvent event, std::uint64_t time, std::uint64_t object = 0,
           std::uint32_t kind = 0) {
    records_.add(wire::OpenMpEndRecord{
        test::header<wire::OpenMpEndRecord>(wire::RecordType::kOpenMpEnd, kind,
                                            static_cast<std::uint8_t>(event)),
        time, object});
  }
  void code(std::uint64_t address, std::uint64_t linked, const char* module) {
    records_.add(wire::CodeAddressRecord{
        test::header<wire::CodeAddressRecord>(wire::RecordType::kCodeAddress), address, linked,
        records_.text(module)});
  }
  std::uint64_t built() {
    add_thread(16, 101, records_);
    return build().events;
  }
  Rows of(const std::string& table, const std::string& columns) {
    return rows("SELECT start, end, value, " + columns + " FROM OPENMP_EVENT_KIND_" + table +
                " JOIN StringIds ON id = nameId ORDER BY start, end");
  }

  test::RecordBytes records_;
};

TEST_F(OpenMpBuilderTest, ARegion) {
  begin(OpenMpEvent::kParallel, 100, 2, 0);
  begin(OpenMpEvent::kImplicit, 110, 2, 1);
  begin(OpenMpEvent::kWork, 120, 2, 1, 11, 64);
  end(OpenMpEvent::kWork, 130, 0, 11);
  begin(OpenMpEvent::kSync, 130, 2, 1, 9);
  end(OpenMpEvent::kSync, 140, 0, 9);
  end(OpenMpEvent::kImplicit, 150, 1);
  end(OpenMpEvent::kParallel, 160, 2);
  EXPECT_EQ(built(), 4U);
  EXPECT_EQ(of("PARALLEL", "parallelId, parentTaskId, eventClass, eventKind, codeId"),
            (Rows{"100|160|Parallel Region|2|0|78|28|-"}));
  EXPECT_EQ(of("TASK", "parallelId, taskId, kind"), (Rows{"110|150|Implicit Task|2|1|2"}));
  EXPECT_EQ(of("WORKSHARE", "parallelId, taskId, kind, count"),
            (Rows{"120|130|Loop Region|2|1|1|64"}));
  EXPECT_EQ(of("SYNC_REGION", "parallelId, taskId, kind"),
            (Rows{"130|140|Implicit Barrier|2|1|2"}));
  EXPECT_EQ(rows("SELECT label FROM ENUM_OPENMP_TASK_FLAG WHERE id = 4"), (Rows{"Explicit"}));
}

TEST_F(OpenMpBuilderTest, TasksCutWhatTheThreadDid) {
  begin(OpenMpEvent::kImplicit, 100, 2, 1);
  begin(OpenMpEvent::kWork, 105, 2, 1, 3, 1);
  begin(OpenMpEvent::kTaskCreate, 110, 0, kTask, 4, 1);
  begin(OpenMpEvent::kSync, 120, 2, 1, 5);
  end(OpenMpEvent::kTaskSwitch, 130, kTask, 1);
  end(OpenMpEvent::kTaskSwitch, 150, 1, 0);
  end(OpenMpEvent::kSync, 160, 0, 5);
  end(OpenMpEvent::kWork, 170, 0, 3);
  end(OpenMpEvent::kImplicit, 180, 1);
  built();
  EXPECT_EQ(of("TASK", "parallelId, taskId"),
            (Rows{"100|130|Implicit Task|2|1", "130|150|Explicit Task|2|3",
                  "150|180|Implicit Task|2|1"}));
  EXPECT_EQ(of("WORKSHARE", "kind"),
            (Rows{"105|130|Single Region (Executor)|3", "151|170|Single Region (Executor)|3"}));
  EXPECT_EQ(of("SYNC_REGION", "kind"), (Rows{"120|130|Taskwait|5", "152|160|Taskwait|5"}));
  EXPECT_EQ(of("TASK_CREATE", "parentTaskId, newTaskId"),
            (Rows{"110|110|Explicit Task Creation|1|3"}));
}

TEST_F(OpenMpBuilderTest, Mutexes) {
  begin(OpenMpEvent::kMutex, 100, 0, 0, 5, 77);
  end(OpenMpEvent::kAcquired, 110, 77, 5);
  begin(OpenMpEvent::kMutex, 115, 0, 0, 1, 78);
  end(OpenMpEvent::kAcquired, 116, 78, 1);
  end(OpenMpEvent::kReleased, 118, 78, 1);
  end(OpenMpEvent::kReleased, 120, 77, 5);
  begin(OpenMpEvent::kMutex, 130, 0, 0, 2, 78);  // a test that fails
  begin(OpenMpEvent::kMutex, 140, 0, 0, 2, 78);
  built();
  EXPECT_EQ(
      of("MUTEX_WAIT", "kind, waitId, taskId"),
      (Rows{"100|110|Waiting to enter Critical Region|5|77|0", "115|116|Waiting for Lock|1|78|0"}));
  EXPECT_EQ(of("CRITICAL_SECTION", "kind, waitId"), (Rows{"110|120|Critical Region|5|77"}));
  EXPECT_EQ(rows("SELECT start, end, nameId, kind, waitId FROM OPENMP_EVENT_KIND_MUTEX_RELEASED"),
            (Rows{"118|118|4294967295|1|78"}));
}

TEST_F(OpenMpBuilderTest, NestedRegionsAndTheirTasks) {
  begin(OpenMpEvent::kImplicit, 100, 2, 1);
  begin(OpenMpEvent::kParallel, 110, 3, 1);
  begin(OpenMpEvent::kImplicit, 120, 3, 4);
  end(OpenMpEvent::kImplicit, 130, 4);
  end(OpenMpEvent::kParallel, 140, 3);
  begin(OpenMpEvent::kSync, 150, 2, 1, 3);
  end(OpenMpEvent::kSync, 160, 0, 3);
  end(OpenMpEvent::kImplicit, 170, 1);
  built();
  EXPECT_EQ(of("TASK", "parallelId, taskId"),
            (Rows{"100|170|Implicit Task|2|1", "120|130|Implicit Task|3|4"}));
  EXPECT_EQ(of("PARALLEL", "parentTaskId"), (Rows{"110|140|Parallel Region|1"}));
  EXPECT_EQ(of("SYNC_REGION", "taskId"), (Rows{"150|160|Explicit Barrier|1"}));
}

TEST_F(OpenMpBuilderTest, PartsThatAreDoneWaitForTheEndOfTheirRegion) {
  begin(OpenMpEvent::kParallel, 100, 2, 0);
  begin(OpenMpEvent::kImplicit, 110, 2, 1);
  end(OpenMpEvent::kPartDone, 130, 1);
  end(OpenMpEvent::kParallel, 180, 2, wire::kOpenMpEndsParts);
  add_thread(16, 101, records_);
  records_ = {};
  begin(OpenMpEvent::kImplicit, 115, 2, 4);
  begin(OpenMpEvent::kWork, 120, 2, 4, 3, 1);
  end(OpenMpEvent::kPartDone, 140, 4);
  end(OpenMpEvent::kTaskSwitch, 150, kTask, 1);
  end(OpenMpEvent::kTaskSwitch, 160, 4, 0);
  begin(OpenMpEvent::kImplicit, 300, 7, 5);  // of a region that never ends
  end(OpenMpEvent::kPartDone, 310, 5);
  add_thread(16, 102, records_);
  build();
  EXPECT_EQ(
      of("TASK", "parallelId, taskId"),
      (Rows{"110|180|Implicit Task|2|1", "115|150|Implicit Task|2|4", "150|160|Explicit Task|2|3",
            "160|180|Implicit Task|2|4", "300|1000000|Implicit Task|7|5"}));
  EXPECT_EQ(of("SYNC_REGION", "taskId, kind"),
            (Rows{"130|180|Implicit Barrier|1|2", "140|150|Implicit Barrier|4|2",
                  "161|180|Implicit Barrier|4|2", "310|1000000|Implicit Barrier|5|2"}));
  EXPECT_EQ(of("WORKSHARE", "taskId"), (Rows{"120|140|Single Region (Executor)|4"}));
}

TEST_F(OpenMpBuilderTest, Targets) {
  const std::uint32_t on_default = 1U | 0xffffU << 16;
  begin(OpenMpEvent::kTarget, 100, 2, 1, on_default, 800);
  end(OpenMpEvent::kTarget, 110, 0, on_default);
  begin(OpenMpEvent::kTarget, 120, 0, 0, 4, 8);
  end(OpenMpEvent::kTarget, 130, 0, 4);
  built();
  EXPECT_EQ(rows("SELECT start, end, value, kind, device, parallelId, taskId, bytes FROM "
                 "PROF_OPENMP_TARGETS JOIN StringIds ON id = nameId ORDER BY start"),
            (Rows{"100|110|Target Region|1|-1|2|1|800", "120|130|Target Update|4|0|0|0|8"}));
}

TEST_F(OpenMpBuilderTest, WhatDoesNotEndLastsUntilTheNextProgram) {
  begin(OpenMpEvent::kParallel, 100, 2, 0);
  begin(OpenMpEvent::kImplicit, 110, 2, 1);
  begin(OpenMpEvent::kSync, 120, 2, 1, 3);
  begin(OpenMpEvent::kMutex, 130, 0, 0, 1, 7);
  note(spool::ProcessNote{.serial = 17, .pid = 100, .own_pid = 100, .time = 500, .name = "/bin/b"});
  built();
  EXPECT_EQ(of("PARALLEL", "parallelId"), (Rows{"100|500|Parallel Region|2"}));
  EXPECT_EQ(of("TASK", "taskId"), (Rows{"110|500|Implicit Task|1"}));
  EXPECT_EQ(of("SYNC_REGION", "taskId"), (Rows{"120|500|Explicit Barrier|1"}));
  EXPECT_EQ(of("MUTEX_WAIT", "taskId"), (Rows{"130|500|Waiting for Lock|1"}));
}

TEST_F(OpenMpBuilderTest, EndsWithoutBeginsAreLeftOut) {
  for (std::uint8_t event = 0; event < 255; ++event)
    if (static_cast<OpenMpEvent>(event) != OpenMpEvent::kTaskSwitch)
      end(static_cast<OpenMpEvent>(event), 100, 5, 5);
  begin(static_cast<OpenMpEvent>(200), 100, 1, 1);
  built();
  EXPECT_EQ(rows("SELECT name FROM sqlite_master WHERE name LIKE 'OPENMP%' ORDER BY name"), Rows{});
}

TEST_F(OpenMpBuilderTest, ForkChildrenHaveTheCodeOfTheirParents) {
  code(0x1000, 0x20, "/no/such/library.so");
  add_thread(16, 101, records_);
  add_process(17, 16, 200);
  records_ = {};
  begin(OpenMpEvent::kParallel, 100, 2, 0, 4, 0, 0x1000);
  begin(OpenMpEvent::kParallel, 110, 3, 0, 4, 0, 0x2000);
  add_thread(17, 200, records_);
  build();
  EXPECT_EQ(of("PARALLEL", "codeId"),
            (Rows{"100|1000000|Parallel Region|1", "110|1000000|Parallel Region|-"}));
  EXPECT_EQ(rows("SELECT PROF_OPENMP_CODE.id, function, file, line, value, fileOffset FROM "
                 "PROF_OPENMP_CODE JOIN StringIds ON StringIds.id = module"),
            (Rows{"1|-|-|-|/no/such/library.so|-"}));
}

}  // namespace
}  // namespace prof::ingest
