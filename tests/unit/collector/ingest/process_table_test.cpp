#include "collector/ingest/process_table.hpp"

#include <gtest/gtest.h>

namespace prof::ingest {
namespace {

spool::ProcessNote process(std::uint32_t serial, int pid, int own_pid) {
  return {.serial = serial, .pid = pid, .own_pid = own_pid, .name = "/bin/app"};
}

TEST(ProcessTable, SerializedIdsAreNsyss) {
  // From a genuine report: pid 9946, tid 9946.
  EXPECT_EQ(global_tid(9946, 9946), 281641842910938);
  EXPECT_EQ(global_pid(9946) & 0xffffff, 0);
}

TEST(ProcessTable, FindsImagesAndTheirDrops) {
  const spool::Drops drops{{spool::DropCause::kNoChunk, 5}};
  spool::Notes notes;
  notes.add(process(16, 100, 100));
  notes.add(process(17, 100, 100));
  notes.add(spool::ProcessEndNote{16, drops});
  const ProcessTable table(notes);
  ASSERT_EQ(table.images().size(), 2U);
  EXPECT_EQ(table.find(16)->dropped, drops);
  EXPECT_EQ(table.find(99), nullptr);
}

TEST(ProcessTable, TranslatesTheMainThreadOfAnotherNamespace) {
  spool::Notes notes;
  notes.add(process(16, 5000, 1));
  const ProcessTable table(notes);
  EXPECT_EQ(table.global_tid_of(16, 1), global_tid(5000, 5000));
  EXPECT_EQ(table.global_tid_of(16, 8), global_tid(5000, 8));
}

TEST(ProcessTable, ProcessesWithTheSamePidHaveDifferentIds) {
  const auto note = [](std::uint32_t serial, std::uint64_t time,
                       std::optional<std::uint32_t> exec_of) {
    spool::ProcessNote note = process(serial, 100, 100);
    note.time = time;
    note.exec_of = exec_of;
    return note;
  };
  spool::Notes notes;
  notes.add(note(16, 1000, 0));
  notes.add(note(17, 2000, 16));  // the first process calls exec
  notes.add(note(18, 5000, 0));
  notes.add(note(18, 5000, 0));  // described again
  notes.add(note(19, 6000, 18));
  notes.add(note(20, 7000, std::nullopt));  // of an old version
  const ProcessTable table(notes);
  const std::int64_t second = kGlobalVid + global_pid(100);
  EXPECT_EQ(table.global_pid_of(16), global_pid(100));
  EXPECT_EQ(table.global_pid_of(17), global_pid(100));
  EXPECT_EQ(table.global_pid_of(18), second);
  EXPECT_EQ(table.global_pid_of(19), second);
  EXPECT_EQ(table.global_pid_of(20), second);
  EXPECT_EQ(table.global_tid_of(19, 101), second + 101);
  const spool::ClockModel clock(std::vector<spool::ClockTriple>{{0, 0, 0}}, 1e9);
  EXPECT_EQ(table.global_tid_at(100, 100, 4999, clock), global_tid(100, 100));
  EXPECT_EQ(table.global_tid_at(100, 100, 5000, clock), second + 100);
  EXPECT_EQ(table.global_tid_at(101, 101, 5000, clock), global_tid(101, 101));
}

TEST(ProcessTable, AnUnknownSerialHasPidZero) {
  EXPECT_EQ(ProcessTable(spool::Notes()).global_tid_of(5, 77), global_tid(0, 77));
}

}  // namespace
}  // namespace prof::ingest
