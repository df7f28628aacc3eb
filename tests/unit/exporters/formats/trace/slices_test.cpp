#include "exporters/formats/trace/slices.hpp"

#include <algorithm>
#include <cstdlib>

#include "exporters/formats/trace/lanes.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::formats {
namespace {

using Times = std::vector<std::pair<std::int64_t, std::int64_t>>;

class SlicesTest : public test::ReportFixture {
 protected:
  SlicesTest() { sql("CREATE TABLE T (start, end, keep);"); }

  // The slices in the order of the visits. `in_memory`: how many of them memory holds.
  Times visited(std::size_t in_memory) {
    const auto reader = this->reader();
    Times times;
    const SliceQuery query{{"T", {"keep"}, {}, "WHERE keep"}, "end", in_memory};
    EXPECT_TRUE(for_each_slice(
        reader, query,
        [](const events::Times& at, const auto&) { return Slice{at.start, at.end, 0, 0, 0, 0}; },
        [&](const Slice& slice) { times.emplace_back(slice.start, slice.end); }));
    for (const auto& [table, events] : reader.faulty()) faulty_ += events;
    return times;
  }

  std::int64_t faulty_ = 0;
};

TEST_F(SlicesTest, AreInTheOrderOfTimeTheLongestFirstWhereverTheyAreSorted) {
  sql("INSERT INTO T VALUES (5, 6, 1), (1, 2, 1), (1, 9, 1), (3, 2, 1), (4, 5, 0), (7, NULL, 1);");
  const Times expected{{1, 9}, {1, 2}, {5, 6}};
  EXPECT_EQ(visited(100), expected);
  EXPECT_EQ(faulty_, 2);
  EXPECT_EQ(visited(1), expected);
  EXPECT_EQ(faulty_, 4);
}

// Many times of few values, so that many slices start together.
std::vector<Slice> mixed_slices() {
  std::vector<Slice> slices;
  std::uint32_t random = 1;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    random = random * 1664525 + 1013904223;
    const std::int64_t start = random >> 20;
    slices.push_back({start, start + (random >> 8) % 4, i, 0, 0, 0});
  }
  return slices;
}

std::vector<std::uint32_t> sorted_rows(SliceSorter sorter, const std::vector<Slice>& slices) {
  for (const Slice& slice : slices) sorter.add(slice);
  std::vector<std::uint32_t> rows;
  const base::Status visited =
      sorter.visit_all([&](const Slice& slice) { rows.push_back(slice.row); });
  EXPECT_TRUE(visited) << visited.error().message;
  return rows;
}

TEST(SliceSorterTest, RunsInAFileAreMergedInTheOrderOfTimeAndOfAdding) {
  std::vector<Slice> slices = mixed_slices();
  // In memory; in runs of which each is read several times; the last run with one slice.
  const std::vector<std::uint32_t> in_memory = sorted_rows(SliceSorter(), slices);
  const std::vector<std::uint32_t> in_runs = sorted_rows(SliceSorter(33'333), slices);
  std::stable_sort(slices.begin(), slices.end(), shown_before);
  ASSERT_EQ(in_memory.size(), slices.size());
  for (std::size_t i = 0; i < slices.size(); ++i) ASSERT_EQ(in_memory[i], slices[i].row);
  EXPECT_EQ(in_runs, in_memory);
  // Sorted already.
  for (std::size_t i = 0; i < slices.size(); ++i) slices[i].row = static_cast<std::uint32_t>(i);
  EXPECT_EQ(sorted_rows(SliceSorter(1000), slices), sorted_rows(SliceSorter(), slices));
}

TEST(SliceSorterTest, WithoutAFolderForFilesAllSlicesStayInMemory) {
  const std::vector<Slice> slices = mixed_slices();
  const std::vector<std::uint32_t> expected = sorted_rows(SliceSorter(), slices);
  setenv("TMPDIR", "/nowhere", 1);
  EXPECT_EQ(sorted_rows(SliceSorter(1000), slices), expected);
  unsetenv("TMPDIR");
}

// The lane of each slice, and the ends in the order in which they were closed.
struct Placed {
  std::vector<std::size_t> lanes;
  std::vector<std::pair<std::size_t, std::int64_t>> closed;
};

Placed place(bool nests, const Times& times) {
  Placed placed;
  Lanes lanes(nests);
  const auto close = [&](std::size_t lane, std::int64_t end) {
    placed.closed.push_back({lane, end});
  };
  for (const auto& [start, end] : times) placed.lanes.push_back(lanes.place(start, end, close));
  lanes.finish(close);
  return placed;
}

TEST(LanesTest, NestedSlicesShareALane) {
  const Placed placed = place(true, {{0, 10}, {1, 4}, {2, 4}, {4, 5}, {8, 12}, {10, 11}});
  EXPECT_EQ(placed.lanes, (std::vector<std::size_t>{0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(placed.closed, (std::vector<std::pair<std::size_t, std::int64_t>>{
                               {0, 4}, {0, 4}, {0, 5}, {0, 10}, {0, 11}, {1, 12}}));
}

TEST(LanesTest, WithoutNestingEachOverlapTakesALane) {
  EXPECT_EQ(place(false, {{0, 10}, {1, 4}, {4, 5}, {10, 10}, {10, 11}}).lanes,
            (std::vector<std::size_t>{0, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace prof::formats
