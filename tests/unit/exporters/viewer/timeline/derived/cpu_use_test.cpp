#include <gtest/gtest.h>

#include "tests/unit/exporters/viewer/timeline/tile_reader.hpp"
#include "tests/unit/exporters/viewer/timeline/timeline_fixture.hpp"

namespace prof::timeline {

namespace {

class CpuUseTest : public test::TimelineFixture {
 protected:
  void SetUp() override {
    make_report("a.db");
    sql("CREATE TABLE SCHED_EVENTS (start, cpu, isSchedIn, globalTid, threadState, threadBlock);"
        "CREATE TABLE ThreadNames (nameId, priority, globalTid);");
    sql(fmt::format("INSERT INTO ThreadNames VALUES (1,20,{}),(2,20,{})", kThread, kThread + 1));
  }
  void add_switch(std::int64_t time, int cpu, bool is_in, std::int64_t thread) const {
    sql(fmt::format("INSERT INTO SCHED_EVENTS VALUES ({},{},{},{},0,NULL)", time, cpu,
                    is_in ? 1 : 0, thread));
  }
};

TEST_F(CpuUseTest, EachCpuHasARowOfWhatItRan) {
  add_switch(0, 0, true, kThread);
  add_switch(40, 0, false, kThread);
  add_switch(10, 3, true, kThread + 1);
  add_switch(50, 3, true, kThread);  // takes the CPU
  add_switch(60, 3, false, kThread);
  const auto snapshot = loaded();
  std::vector<std::string> runs;
  for (const Row& row : snapshot->rows())
    if (row.kind == RowKind::kCpu)
      for (const Event& event : events_of(*snapshot, row.id))
        runs.push_back(fmt::format("{} {} {} {}", row.name, snapshot->names().text(event.name),
                                   event.start, event.end));
  EXPECT_EQ(runs,
            (std::vector<std::string>{"CPU 0 one 0 40", "CPU 3 two 10 50", "CPU 3 one 50 60"}));
  // Of the two rows that show a switch, that of the thread is the first.
  const auto event = snapshot->event_of(0, "SCHED_EVENTS", 1);
  EXPECT_EQ(snapshot->row(event->row)->kind, RowKind::kState);
}

TEST_F(CpuUseTest, ACurveHasTheNumberOfCpusInUse) {
  add_switch(0, 0, true, kThread);
  add_switch(4, 0, false, kThread);
  add_switch(2, 1, true, kThread + 1);
  add_switch(8, 1, false, kThread + 1);
  const auto snapshot = loaded();
  const Row* use = find_row(*snapshot, RowKind::kCpus);
  EXPECT_EQ(use->style, RowStyle::kCounter);
  const test::ValueTile tile{test::TileReader(snapshot->tile(use->id, 0, 0))};
  EXPECT_EQ(tile.last, (std::vector<double>{1, 1, 2, 2, 1, 1, 1, 1, 0}));
}

TEST_F(CpuUseTest, WhatACpuRanIsFoundInThreadsOnly) {
  add_switch(0, 0, true, kThread);
  add_switch(4, 0, false, kThread);
  const auto snapshot = loaded();
  NameSet all;
  for (std::uint32_t name = 0; name < snapshot->names().size(); ++name) all.add(name);
  for (const Event& event : snapshot->find(all, {}, INT64_MIN, 100).events)
    EXPECT_NE(snapshot->row(event.row)->kind, RowKind::kCpu);
}

}  // namespace

}  // namespace prof::timeline
