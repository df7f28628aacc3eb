#include "exporters/viewer/timeline/snapshot.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "tests/unit/exporters/viewer/timeline/tile_reader.hpp"
#include "tests/unit/exporters/viewer/timeline/timeline_fixture.hpp"

namespace prof::timeline {

namespace {

class SnapshotTest : public test::TimelineFixture {
 protected:
  void SetUp() override {
    make_report("a.db");
    add_call(0, 10, 1);
    add_call(20, 30, 2, 3);
    add_call(40, 50, 9, 1);
    add_kernel(15, 25, 1);
    add_kernel(30, 60, 2, 8);
    add_kernel(60, 70, 2, 8, 1);
    add_range(0, "35", "outer");
    add_range(18, "32", "inner");
  }
  static NameSet names_of(const Snapshot& snapshot, const std::set<std::string>& texts) {
    NameSet names;
    for (std::uint32_t i = 0; i < snapshot.names().size(); ++i)
      if (texts.contains(std::string(snapshot.names().text(i)))) names.add(i);
    return names;
  }
  static std::vector<std::int64_t> starts(const std::vector<Event>& events) {
    std::vector<std::int64_t> result;
    for (const Event& event : events) result.push_back(event.start);
    return result;
  }
};

TEST_F(SnapshotTest, EventsOfASpan) {
  const auto snapshot = loaded();
  const RowId calls = find_row(*snapshot, RowKind::kCudaApi)->id;
  EXPECT_EQ(starts(events_of(*snapshot, calls, {5, 20})), (std::vector<std::int64_t>{0, 20}));
  EXPECT_EQ(starts(events_of(*snapshot, calls, {10, 19})), (std::vector<std::int64_t>{}));
  EXPECT_EQ(starts(events_of(*snapshot, calls, {30, 100})), (std::vector<std::int64_t>{40}));
  EXPECT_EQ(events_of(*snapshot, find_row(*snapshot, RowKind::kProcess)->id).size(), 5U);
  EXPECT_EQ(events_of(*snapshot, 12345).size(), 0U);
  int visited = 0;
  snapshot->visit_all(find_row(*snapshot, RowKind::kProcess)->id, {},
                      [&](const Event&) { return ++visited < 2; });
  EXPECT_EQ(visited, 2);
}

TEST_F(SnapshotTest, TimesAreOnTheCommonClock) {
  const std::string a = make_report("b.db");
  set_clock(1'000, 3'000'000);
  for (const int start : {0, 1'000'000, 2'000'000}) add_call(start, start + 500'000, 1);
  const auto timeline =
      open({{a}, {a, "fast", {100, -0.1, 1'000'000}}}, {.utc_start = 5'000, .message = "a text"});
  const auto snapshot = loaded(*timeline);
  EXPECT_EQ(snapshot->utc_start(), 5'000);
  EXPECT_EQ(snapshot->messages(), std::vector<std::string>{"a text"});
  const Row& row = *find_row(*snapshot, RowKind::kCudaApi, 1);
  ASSERT_EQ(row.report, 1U);
  // The clock is slow by a tenth, around the start of the second call.
  EXPECT_EQ(starts(events_of(*snapshot, row.id)),
            (std::vector<std::int64_t>{100'100, 1'000'100, 1'900'100}));
  EXPECT_EQ(events_of(*snapshot, row.id)[2].end, 2'350'100);
  EXPECT_EQ(snapshot->reports()[1].span.end, 2'800'100);
  EXPECT_EQ(starts(events_of(*snapshot, row.id, {1'000'100, 1'000'100})),
            std::vector<std::int64_t>{1'000'100});
  EXPECT_TRUE(events_of(*snapshot, row.id, {1'450'200, 1'900'000}).empty());
  const auto hits = snapshot->find(names_of(*snapshot, {"one"}), {row.id}, 1'000'100, 10);
  EXPECT_EQ(starts(hits.events), std::vector<std::int64_t>{1'900'100});
  const test::EventTile tile(test::TileReader(snapshot->tile(row.id, 10, 1'900'100 >> 20)));
  ASSERT_FALSE(tile.start.empty());
}

TEST_F(SnapshotTest, AnEventIsFoundByItsIdAndByItsRowid) {
  const auto snapshot = loaded();
  const RowId calls = find_row(*snapshot, RowKind::kCudaApi)->id;
  const auto event = snapshot->event(calls, 0, 2);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->start, 20);
  EXPECT_EQ(event->end, 30);
  EXPECT_EQ(event->rowid, 2);
  EXPECT_EQ(snapshot->names().text(event->name), "three");
  EXPECT_EQ(snapshot->row(calls)->tables[event->source], "CUPTI_ACTIVITY_KIND_RUNTIME");
  EXPECT_FALSE(snapshot->event(calls, 1, 2));
  EXPECT_FALSE(snapshot->event(calls, 0, 99));
  EXPECT_FALSE(snapshot->event(999, 0, 1));
  EXPECT_EQ(snapshot->event_of(0, "CUPTI_ACTIVITY_KIND_KERNEL", 3)->start, 60);
  EXPECT_FALSE(snapshot->event_of(0, "CUPTI_ACTIVITY_KIND_KERNEL", 4));
  EXPECT_FALSE(snapshot->event_of(1, "CUPTI_ACTIVITY_KIND_KERNEL", 3));
}

TEST_F(SnapshotTest, CallsAndTheirWorkAreLinked) {
  const auto snapshot = loaded();
  const auto both = snapshot->linked(0, kProcess, 2);
  ASSERT_EQ(starts(both.calls), std::vector<std::int64_t>{20});
  ASSERT_EQ(starts(both.work), (std::vector<std::int64_t>{30, 60}));
  EXPECT_EQ(both.more, 0U);
  const auto of_call = snapshot->linked(both.calls[0]);
  EXPECT_EQ(starts(of_call.work), (std::vector<std::int64_t>{30, 60}));
  EXPECT_EQ(starts(snapshot->linked(both.work[1]).calls), std::vector<std::int64_t>{20});
  const auto first = snapshot->linked(both.calls[0], 1);
  EXPECT_EQ(first.work.size(), 1U);
  EXPECT_EQ(first.more, 1U);
  EXPECT_TRUE(both.calls[0].has_links);
  EXPECT_TRUE(both.work[0].has_links);
  // A call without work.
  EXPECT_FALSE(snapshot->event_of(0, "CUPTI_ACTIVITY_KIND_RUNTIME", 3)->has_links);
  EXPECT_EQ(snapshot->linked(0, kProcess, 9).calls.size(), 1U);
  EXPECT_EQ(snapshot->linked(0, kProcess, 9).work.size(), 0U);
  EXPECT_EQ(snapshot->linked(5, kProcess, 2).calls.size(), 0U);
  // Ranges have none.
  EXPECT_EQ(snapshot->linked(*snapshot->event_of(0, "NVTX_EVENTS", 1)).calls.size(), 0U);
}

TEST_F(SnapshotTest, RangesOnTheGpuLastAsLongAsWhatWasLaunchedInThem) {
  const auto snapshot = loaded();
  std::set<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>> ranges;
  for (const Row& row : snapshot->rows())
    if (row.kind == RowKind::kNvtxGpu)
      for (const Event& event : events_of(*snapshot, row.id))
        ranges.emplace(snapshot->names().text(event.name), *row.stream, event.start, event.end);
  EXPECT_EQ(ranges,
            (decltype(ranges){{"outer", 7, 15, 25}, {"outer", 8, 30, 70}, {"inner", 8, 30, 70}}));
}

TEST_F(SnapshotTest, QueueLengthCountsLaunchesThatWait) {
  add_call(80, 81, 20);
  add_call(82, 83, 21);
  add_kernel(90, 95, 20, 9);
  add_kernel(95, 99, 21, 9);
  const auto snapshot = loaded();
  const Row* queue = nullptr;
  for (const Row& row : snapshot->rows())
    if (row.kind == RowKind::kQueue && row.stream == 9) queue = &row;
  ASSERT_NE(queue, nullptr);
  const test::ValueTile tile{test::TileReader(snapshot->tile(queue->id, 0, 0))};
  EXPECT_EQ(tile.start, (std::vector<std::uint32_t>{80, 82, 90, 95}));
  EXPECT_EQ(tile.last, (std::vector<double>{1, 2, 1, 0}));
}

TEST_F(SnapshotTest, NeighboursOfAnEvent) {
  const auto snapshot = loaded();
  const Event second = *snapshot->event_of(0, "CUPTI_ACTIVITY_KIND_RUNTIME", 2);
  EXPECT_FALSE(snapshot->same_name_before(second));
  EXPECT_FALSE(snapshot->same_name_after(second));
  const Event third = *snapshot->event_of(0, "CUPTI_ACTIVITY_KIND_RUNTIME", 3);
  EXPECT_EQ(snapshot->same_name_before(third)->start, 0);
  const Event first = *snapshot->event_of(0, "CUPTI_ACTIVITY_KIND_RUNTIME", 1);
  EXPECT_EQ(snapshot->same_name_after(first)->start, 40);
}

TEST_F(SnapshotTest, EventsAreFoundByNameInTheOrderOfTime) {
  const auto snapshot = loaded();
  const NameSet names = names_of(*snapshot, {"one", "two"});
  const Hits all = snapshot->find(names, {}, INT64_MIN, 100);
  EXPECT_EQ(starts(all.events), (std::vector<std::int64_t>{0, 15, 30, 40, 60}));
  EXPECT_EQ(all.total, 5U);
  EXPECT_FALSE(all.next);

  std::vector<std::int64_t> paged;
  std::int64_t after = INT64_MIN;
  for (int page = 0; page < 10; ++page) {
    const Hits hits = snapshot->find(names, {}, after, 2);
    for (const Event& event : hits.events) paged.push_back(event.start);
    EXPECT_EQ(hits.total, 5U);
    if (!hits.next) break;
    after = *hits.next;
  }
  EXPECT_EQ(paged, starts(all.events));

  const RowId gpus = find_row(*snapshot, RowKind::kGpus)->id;
  EXPECT_EQ(starts(snapshot->find(names, {gpus}, INT64_MIN, 100).events),
            (std::vector<std::int64_t>{15, 30, 60}));
  EXPECT_EQ(snapshot->find(names_of(*snapshot, {"nothing"}), {}, INT64_MIN, 100).total, 0U);
}

TEST_F(SnapshotTest, ARangeOnTheGpuIsNoSecondHit) {
  const auto snapshot = loaded();
  const NameSet names = names_of(*snapshot, {"outer"});
  EXPECT_EQ(snapshot->find(names, {}, INT64_MIN, 100).total, 1U);
  const RowId gpus = find_row(*snapshot, RowKind::kGpus)->id;
  EXPECT_EQ(snapshot->find(names, {gpus}, INT64_MIN, 100).total, 2U);
}

TEST_F(SnapshotTest, RowsWithEventsInASpan) {
  make_report("b.db");
  add_call(10, 20, 1);
  add_kernel(100, 200, 1);
  const auto snapshot = loaded();
  const auto kinds = [&](std::int64_t start, std::int64_t end) {
    std::vector<std::string> kinds;
    for (const RowId id : snapshot->used_rows({start, end}))
      kinds.emplace_back(name_of(snapshot->row(id)->kind));
    return kinds;
  };
  const std::vector<std::string> gpu{"gpus", "gpu", "context", "stream", "kernels", "queue"};
  const std::vector<std::string> calls{"process", "thread", "cuda_api"};
  EXPECT_EQ(kinds(0, 9), std::vector<std::string>{});
  EXPECT_EQ(kinds(0, 10), calls);
  EXPECT_EQ(kinds(15, 16), calls);
  // The launch waits in the queue up to 100, but no work is done before.
  EXPECT_EQ(kinds(30, 90), std::vector<std::string>{});
  EXPECT_EQ(kinds(150, 160), gpu);
  EXPECT_EQ(kinds(0, 1000).size(), gpu.size() + calls.size());
}

TEST_F(SnapshotTest, HitsAtTheSameTimeAreOnOnePage) {
  for (int i = 0; i < 5; ++i) add_call(100, 110, 50, 6, kThread + 1 + i);
  const auto snapshot = loaded();
  const Hits hits = snapshot->find(names_of(*snapshot, {"six"}), {}, INT64_MIN, 2);
  EXPECT_EQ(hits.events.size(), 5U);
  EXPECT_FALSE(hits.next);
}

TEST_F(SnapshotTest, ImpossibleTilesAreEmpty) {
  const auto snapshot = loaded();
  const RowId row = snapshot->rows()[0].id;
  EXPECT_FALSE(snapshot->tile(row, 0, 0).empty());
  EXPECT_TRUE(snapshot->tile(9999, 0, 0).empty());
  EXPECT_TRUE(snapshot->tile(row, -1, 0).empty());
  EXPECT_TRUE(snapshot->tile(row, Snapshot::kMaxLevel + 1, 0).empty());
  EXPECT_TRUE(snapshot->tile(row, 40, INT64_MAX).empty());
  EXPECT_TRUE(snapshot->tile(row, 0, INT64_MIN).empty());
  for (const Row& each : snapshot->rows())
    for (int level = 0; level <= Snapshot::kMaxLevel; ++level)
      for (const std::int64_t index : {-2, -1, 0, 1})
        EXPECT_FALSE(snapshot->tile(each.id, level, index).empty()) << level << " " << index;
}

}  // namespace

}  // namespace prof::timeline
