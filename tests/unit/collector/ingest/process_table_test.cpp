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

TEST(ProcessTable, AnUnknownSerialHasPidZero) {
  EXPECT_EQ(ProcessTable(spool::Notes()).global_tid_of(5, 77), global_tid(0, 77));
}

}  // namespace
}  // namespace prof::ingest
