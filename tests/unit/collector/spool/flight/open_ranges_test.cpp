#include "collector/spool/flight/open_ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "collector/spool/decoder.hpp"
#include "tests/unit/record_bytes.hpp"

namespace prof::spool {
namespace {

using test::RecordBytes;

struct Begins {
  std::vector<std::uint64_t> times;
  void operator()(const wire::NvtxPushRecord& record) { times.push_back(record.time); }
  void operator()(const wire::NvtxEventRecord& record) { times.push_back(record.time); }
};

std::vector<std::uint64_t> open_in(const OpenRanges& ranges) {
  Begins found;
  ranges.for_each([&](const PieceHeader& piece, std::span<const std::byte> bytes) {
    EXPECT_EQ(piece.claimed, 0U);  // before the chunks of the thread
    decode(bytes, found);
  });
  std::ranges::sort(found.times);  // domains come in any order
  return found.times;
}

void fold(OpenRanges& ranges, const RecordBytes& records, std::uint32_t tid = 7,
          std::uint64_t claimed = 1) {
  const Piece piece{{16, tid, claimed, 0, 0}, records.bytes()};
  ranges.fold({&piece, 1});
}

wire::NvtxEventRecord start(std::uint64_t time, std::uint64_t id) {
  wire::NvtxEventRecord record{};
  record.header = test::header<wire::NvtxEventRecord>(wire::RecordType::kNvtxStart);
  record.time = time;
  record.range_id = id;
  return record;
}

wire::NvtxEndRecord end(std::uint64_t time, std::uint64_t id) {
  return {test::header<wire::NvtxEndRecord>(wire::RecordType::kNvtxEnd), time, id};
}

TEST(OpenRanges, KeepsWhatHasNotEndedByThreadAndDomain) {
  OpenRanges ranges;
  RecordBytes first;
  first.push(1, 100).push(2, 101, 3).push(3, 102).pop(4);
  fold(ranges, first);
  fold(ranges, RecordBytes().push(5, 103), 8);
  EXPECT_EQ(open_in(ranges), (std::vector<std::uint64_t>{1, 2, 5}));
  fold(ranges, RecordBytes().pop(6).pop(7));  // the second ends nothing
  EXPECT_EQ(open_in(ranges), (std::vector<std::uint64_t>{2, 5}));
  fold(ranges, RecordBytes().pop(8, 3));
  ranges.forget(16);
  EXPECT_TRUE(open_in(ranges).empty());
}

TEST(OpenRanges, TakesChunksOfAThreadInTheirOrder) {
  const RecordBytes pushed = RecordBytes().push(1, 100).push(2, 101);
  const RecordBytes popped = RecordBytes().pop(3);
  const Piece pieces[] = {{{16, 7, 20, 0, 0}, popped.bytes()}, {{16, 7, 10, 0, 0}, pushed.bytes()}};
  OpenRanges ranges;
  ranges.fold(pieces);
  EXPECT_EQ(open_in(ranges), std::vector<std::uint64_t>{1});
}

TEST(OpenRanges, ARangeCanEndInAnotherThreadAndBeDrainedEarlier) {
  OpenRanges ranges;
  fold(ranges, RecordBytes().add(start(1, 41)).add(start(2, 42)));
  fold(ranges, RecordBytes().add(end(3, 41)).add(end(4, 43)), 8);
  EXPECT_EQ(open_in(ranges), std::vector<std::uint64_t>{2});
  fold(ranges, RecordBytes().add(start(1, 43)));  // its end came in the segment before
  EXPECT_EQ(open_in(ranges), std::vector<std::uint64_t>{2});
}

}  // namespace
}  // namespace prof::spool
