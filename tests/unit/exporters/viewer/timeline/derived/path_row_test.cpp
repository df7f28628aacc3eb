// The row of a critical path, and the marks of the events that are on it.
#include "exporters/viewer/timeline/derived/path_row.hpp"

#include <gtest/gtest.h>

#include "tests/unit/exporters/viewer/timeline/tile_reader.hpp"
#include "tests/unit/exporters/viewer/timeline/timeline_fixture.hpp"

namespace prof::timeline {

namespace {

using path::PathEvent;
using path::SegmentKind;
using Texts = std::vector<std::string>;

constexpr std::uint16_t kOnPath = 0x40;

class PathRowTest : public test::TimelineFixture {
 protected:
  // Two launches and their kernels on two streams. Names: one is a call, two a kernel.
  void SetUp() override {
    make_report("a.db");
    add_call(0, 10, 1);
    add_kernel(20, 60, 1, 7);
    add_call(30, 40, 2);
    add_kernel(50, 90, 2, 8);
  }

  static PathEvent on_thread(std::int64_t start, std::int64_t end, SegmentKind kind,
                             std::int64_t item_start, std::int64_t item_end) {
    return {start, end, kind, kind != SegmentKind::kCpu, kThread, 0, 0, item_start, item_end};
  }
  static PathEvent on_gpu(std::int64_t start, std::int64_t end, SegmentKind kind, int stream,
                          std::int64_t item_start, std::int64_t item_end) {
    return {start, end, kind, true, kProcess, 0, stream, item_start, item_end};
  }
  // A path whose last stretch is in a kernel that the report does not have.
  static std::vector<PathEvent> path() {
    return {on_thread(0, 10, SegmentKind::kCudaCall, 0, 10),
            on_gpu(10, 20, SegmentKind::kLaunchLatency, 7, 20, 60),
            on_thread(20, 30, SegmentKind::kCpu, 0, 0),
            on_thread(30, 40, SegmentKind::kCudaCall, 30, 40),
            on_gpu(40, 50, SegmentKind::kGpuQueue, 8, 50, 90),
            on_gpu(50, 90, SegmentKind::kKernel, 8, 50, 90),
            on_gpu(90, 95, SegmentKind::kKernel, 8, 90, 95)};
  }

  static Texts texts(const Snapshot& snapshot, RowId row) {
    Texts result;
    for (const Event& each : events_of(snapshot, row))
      result.push_back(
          fmt::format("{} {} {}", each.start, each.end, snapshot.names().text(each.name)));
    return result;
  }
  // The starts of the events of a row that are on the path.
  static std::vector<std::int64_t> marked(const Snapshot& snapshot, RowId row) {
    std::vector<std::int64_t> starts;
    for (const Event& each : events_of(snapshot, row))
      if (each.on_path) starts.push_back(each.start);
    return starts;
  }
};

TEST_F(PathRowTest, StretchesHaveTheNamesOfTheirEvents) {
  auto timeline = open({{path_}});
  loaded(*timeline);
  timeline->put_path(0, path(), "of a test");
  const auto snapshot = timeline->snapshot();
  const Row& row = *find_row(*snapshot, RowKind::kPath);
  EXPECT_EQ(row.id, snapshot->rows().front().id);
  EXPECT_EQ(row.note, "of a test");
  EXPECT_EQ(
      texts(*snapshot, row.id),
      (Texts{"0 10 CUDA call: one", "10 20 launch latency: two", "20 30 CPU: thread, tid 7",
             "30 40 CUDA call: one", "40 50 GPU queue: two", "50 90 kernel: two", "90 95 kernel"}));
  // Each event leads to the row of its table.
  std::vector<std::pair<std::string, std::int64_t>> places;
  for (const Event& each : events_of(*snapshot, row.id)) {
    places.emplace_back(row.tables.at(each.source), each.rowid);
    EXPECT_TRUE(snapshot->event(row.id, each.source, each.id));
  }
  const std::string calls = "CUPTI_ACTIVITY_KIND_RUNTIME", kernels = "CUPTI_ACTIVITY_KIND_KERNEL";
  EXPECT_EQ(
      places,
      (std::vector<std::pair<std::string, std::int64_t>>{
          {calls, 1}, {kernels, 1}, {"", 0}, {calls, 2}, {kernels, 2}, {kernels, 2}, {"", 0}}));
  EXPECT_EQ(snapshot->event_of(0, kernels, 2)->row, find_row(*snapshot, RowKind::kKernels, 1)->id);
}

TEST_F(PathRowTest, AnotherPathTakesItsPlace) {
  auto timeline = open({{path_}});
  const auto before = loaded(*timeline);
  const RowId first = find_row(*before, RowKind::kKernels)->id;
  const RowId second = find_row(*before, RowKind::kKernels, 1)->id;
  EXPECT_TRUE(marked(*before, second).empty());
  timeline->put_path(0, path(), "");
  const auto snapshot = timeline->snapshot();
  EXPECT_EQ(marked(*snapshot, first), (std::vector<std::int64_t>{20}));
  EXPECT_EQ(marked(*snapshot, second), (std::vector<std::int64_t>{50}));
  EXPECT_EQ(marked(*snapshot, find_row(*snapshot, RowKind::kCudaApi)->id),
            (std::vector<std::int64_t>{0, 30}));
  const test::EventTile tile(test::TileReader(snapshot->tile(second, 0, 0)));
  ASSERT_EQ(tile.flags.size(), 1U);
  EXPECT_TRUE(tile.flags[0] & kOnPath);

  timeline->put_path(0, {on_gpu(20, 60, SegmentKind::kKernel, 7, 20, 60)}, "");
  const auto after = timeline->snapshot();
  EXPECT_EQ(texts(*after, find_row(*after, RowKind::kPath)->id), (Texts{"20 60 kernel: two"}));
  EXPECT_TRUE(marked(*after, second).empty());
  EXPECT_GT(after->row(second)->version, snapshot->row(second)->version);
  EXPECT_EQ(marked(*snapshot, second), (std::vector<std::int64_t>{50}));  // does not change
}

TEST_F(PathRowTest, ThePathOfAReportIsFoundIfItIsWanted) {
  Options options;
  options.paths = Options::Paths::kOfReports;
  const auto snapshot = loaded(*open({{path_}}, options));
  const auto events = events_of(*snapshot, find_row(*snapshot, RowKind::kPath)->id);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.front().start, 0);
  EXPECT_EQ(events.back().end, 90);
  for (std::size_t i = 1; i < events.size(); ++i) EXPECT_EQ(events[i].start, events[i - 1].end);
  EXPECT_TRUE(snapshot->messages().empty());

  options.paths = Options::Paths::kAwaited;
  auto timeline = open({{path_}}, options);
  EXPECT_TRUE(loaded(*timeline)->awaits_path());
  for (const Row& row : timeline->snapshot()->rows()) EXPECT_NE(row.kind, RowKind::kPath);
  timeline->put_path(0, {}, "");
  EXPECT_FALSE(timeline->snapshot()->awaits_path());
  for (const Row& row : timeline->snapshot()->rows()) EXPECT_NE(row.kind, RowKind::kPath);
}

}  // namespace

}  // namespace prof::timeline
