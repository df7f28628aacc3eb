// Several reports on one clock.
#include <gtest/gtest.h>

#include "exporters/viewer/timeline/timeline.hpp"
#include "tests/unit/exporters/viewer/timeline/tile_reader.hpp"
#include "tests/unit/exporters/viewer/timeline/timeline_fixture.hpp"

namespace prof::timeline {

namespace {

class AlignmentTest : public test::TimelineFixture {};

TEST_F(AlignmentTest, ReportsAreAlignedByWallClock) {
  const std::string a = make_report("a.db");
  set_clock(1'700'000'000'000'001'000, 10'000);
  add_call(0, 10, 1);
  const std::string b = make_report("b.db");
  set_clock(1'700'000'000'000'000'400, 10'000);
  add_call(0, 10, 1);
  const auto timeline = open({{a}, {b, "second"}});
  const auto snapshot = loaded(*timeline);
  ASSERT_EQ(snapshot->reports().size(), 2U);
  EXPECT_EQ(snapshot->reports()[0].offset, 600);
  EXPECT_EQ(snapshot->reports()[1].offset, 0);
  EXPECT_EQ(snapshot->utc_start(), 1'700'000'000'000'000'400);
  EXPECT_EQ(snapshot->span().end, 10'600);
  EXPECT_EQ(find_row(*snapshot, RowKind::kReport, 0)->name, "a");
  EXPECT_EQ(find_row(*snapshot, RowKind::kReport, 1)->name, "second");
  const Row* first = find_row(*snapshot, RowKind::kCudaApi, 0);
  const Row* second = find_row(*snapshot, RowKind::kCudaApi, 1);
  EXPECT_EQ(first->report, 0U);
  EXPECT_EQ(events_of(*snapshot, first->id)[0].start, 600);
  EXPECT_EQ(events_of(*snapshot, second->id)[0].start, 0);
  EXPECT_EQ(events_of(*snapshot, first->id, {0, 500}).size(), 0U);
  EXPECT_EQ(test::EventTile(test::TileReader(snapshot->tile(first->id, 0, 0))).start[0], 600U);
  EXPECT_EQ(test::TileReader(snapshot->tile(first->id, 0, 0)).base(), 0);
}

TEST_F(AlignmentTest, ReportsOfOneMachineAreAlignedByItsClock) {
  const auto add_clock = [&](const char* boot, int time, int raw, int shift) {
    sql("CREATE TABLE PROF_CLOCKS (time INTEGER, monotonicRaw INTEGER, bootId TEXT, "
        "namespaceShift INTEGER)");
    sql(fmt::format("INSERT INTO PROF_CLOCKS VALUES ({}, {}, '{}', {})", time, raw, boot, shift));
  };
  const std::string a = make_report("a.db");
  set_clock(1'700'000'000'000'001'000, 10'000);
  add_call(0, 10, 1);
  add_clock("one", 10, 5'010, 0);
  // The wall clock was set back in between.
  const std::string b = make_report("b.db");
  set_clock(1'700'000'000'000'000'400, 10'000);
  add_call(0, 10, 1);
  add_clock("one", 20, 5'420, 100);
  const auto snapshot = open({{a}, {b}})->snapshot();
  EXPECT_EQ(snapshot->reports()[0].offset, 0);
  EXPECT_EQ(snapshot->reports()[1].offset, 300);
  EXPECT_EQ(snapshot->utc_start(), 1'700'000'000'000'001'000);
  const std::string c = make_report("c.db");
  set_clock(1'700'000'000'000'000'900, 10'000);
  add_clock("another", 0, 0, 0);
  EXPECT_EQ(open({{a}, {c}})->snapshot()->reports()[0].offset, 100);
}

TEST_F(AlignmentTest, ReportsOfDifferentTimesBeginAt0) {
  const std::string a = make_report("a.db");
  set_clock(1'700'000'000'000'000'000, 100);
  add_call(0, 10, 1);
  const std::string b = make_report("b.db");
  set_clock(1'700'000'001'000'000'000, 100);
  add_call(0, 10, 1);
  const auto snapshot = open({{a}, {b}})->snapshot();
  EXPECT_EQ(snapshot->reports()[1].offset, 0);
  EXPECT_FALSE(snapshot->utc_start());
  EXPECT_EQ(snapshot->messages(),
            std::vector<std::string>{
                "The reports were not recorded at the same time, so all begin at 0."});
}

TEST_F(AlignmentTest, ReportsAreAlignedAsAskedFor) {
  const std::string a = make_report("a.db");
  set_clock(1000, 100'000);
  add_range(500, "600", "step");
  add_range(700, "800", "step");
  const std::string b = make_report("b.db");
  set_clock(3000, 100'000);
  add_range(900, "950", "four");
  add_range(100, "150", "other");
  sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES (800,850,59,NULL,'step',{},NULL,0)", kThread));

  Options by_range;
  by_range.range = "step";
  EXPECT_EQ(open({{a}, {b}}, by_range)->snapshot()->reports()[1].offset, -300);
  Options by_start;
  by_start.alignment = Alignment::kStart;
  EXPECT_EQ(open({{a}, {b}}, by_start)->snapshot()->reports()[1].offset, 0);
  EXPECT_EQ(open({{a}, {b, "", 77}})->snapshot()->reports()[1].offset, 77);

  by_range.range = "other";
  const auto missing = Timeline::open({{a}, {b}}, by_range);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, a + " has no NVTX range \"other\" to align by");
}

}  // namespace

}  // namespace prof::timeline
