#include "injection/core/record/record_writer.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "collector/spool/decoder.hpp"
#include "tests/unit/injection/core/session_fixture.hpp"

namespace prof::core {
namespace {

class RecordWriter : public SessionFixture {};

wire::NvtxPopRecord pop(std::uint64_t time) {
  return {header_of<wire::NvtxPopRecord>(wire::RecordType::kNvtxPop), time};
}

// Times of the pop records in a run.
std::vector<std::uint64_t> pops(std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> times;
  const auto stats = spool::decode(
      bytes, [&](const wire::NvtxPopRecord& record) { times.push_back(record.time); });
  EXPECT_EQ(stats.corrupt_bytes, 0U);
  return times;
}

TEST_F(RecordWriter, FirstRecordIntroducesTheThread) {
  ASSERT_TRUE(append(pop(42)));
  const auto threads = drain();
  const auto tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
  ASSERT_TRUE(threads.contains(tid));
  std::uint32_t introduced = 0;
  spool::decode(threads.at(tid),
                [&](const wire::ThreadRecord& record) { introduced = record.header.aux; });
  EXPECT_EQ(introduced, tid);
  EXPECT_EQ(pops(threads.at(tid)), std::vector<std::uint64_t>{42});
}

TEST_F(RecordWriter, FillsChunksInOrderAndFreesThem) {
  std::vector<std::uint64_t> expected;
  std::vector<std::uint64_t> got;
  for (std::uint64_t i = 0; i < 20'000; ++i) {  // 320 KB: more than the arena holds at once
    ASSERT_TRUE(append(pop(i))) << i;
    expected.push_back(i);
    if (i % 1000 == 0)
      for (const auto& [tid, bytes] : drain())
        for (const auto time : pops(bytes)) got.push_back(time);
  }
  for (const auto& [tid, bytes] : drain())
    for (const auto time : pops(bytes)) got.push_back(time);
  EXPECT_EQ(got.size(), expected.size());
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, expected);
}

TEST_F(RecordWriter, DropsAndCountsWhenTheArenaIsFull) {
  std::uint64_t written = 0;
  for (std::uint64_t i = 0; i < 30'000; ++i) written += append(pop(i)) ? 1 : 0;
  EXPECT_LT(written, 30'000U);
  EXPECT_EQ(dropped(wire::DropCause::kNoChunk), 30'000 - written);
  std::size_t found = 0;
  for (const auto& [tid, bytes] : drain()) found += pops(bytes).size();
  EXPECT_EQ(found, written);
}

TEST_F(RecordWriter, RecoversWhenRoomReturns) {
  for (int i = 0; i < 30'000; ++i) append(pop(1));
  drain();
  usleep(1000);  // longer than the pause between attempts to claim
  EXPECT_TRUE(append(pop(2)));
}

TEST_F(RecordWriter, RefusesNestedRecords) {
  std::byte* place = begin_record(sizeof(wire::NvtxPopRecord));
  ASSERT_NE(place, nullptr);
  EXPECT_FALSE(append(pop(2)));  // as from a signal handler
  EXPECT_EQ(dropped(wire::DropCause::kReentered), 1U);
  const auto record = pop(1);
  std::memcpy(place, &record, sizeof record);
  end_record(sizeof record);
  EXPECT_EQ(pops(drain().begin()->second), std::vector<std::uint64_t>{1});
}

TEST_F(RecordWriter, RefusesARecordLargerThanAChunk) {
  EXPECT_EQ(begin_record(wire::chunk_capacity(wire::ChunkSize::kLarge)), nullptr);
  EXPECT_EQ(dropped(wire::DropCause::kTooLarge), 1U);
  EXPECT_TRUE(append(pop(1)));
}

TEST_F(RecordWriter, TheFirstChunksAreSmallTheNextAreLarge) {
  append(pop(1));
  EXPECT_EQ(t_state.chunk_index, 0U);
  while (t_state.claims < 5) {
    ASSERT_TRUE(append(pop(2)));
    EXPECT_EQ(wire::size_of_chunk(t_state.chunk_index),
              t_state.claims < 5 ? wire::ChunkSize::kSmall : wire::ChunkSize::kLarge);
    drain();
  }
}

TEST_F(RecordWriter, ALongFirstRecordTakesALargeChunk) {
  ASSERT_NE(begin_record(8 * 1024), nullptr);
  EXPECT_EQ(t_state.chunk_index, wire::first_chunk(wire::ChunkSize::kLarge));
  t_state.writing = kIdle;
}

TEST_F(RecordWriter, SmallChunksAreUsedIfNoLargeOneIsLeft) {
  const std::uint32_t large = wire::first_chunk(wire::ChunkSize::kLarge);
  for (std::uint32_t i = 0; i < 4; ++i) arena_.header()->owners[large + i] = 1;
  append(pop(1));
  std::uint64_t written = 1;
  while (append(pop(2))) ++written;
  EXPECT_EQ(t_state.chunk, nullptr);
  EXPECT_GT(written, 1600U);  // eight chunks of a page
  EXPECT_NE(arena_.header()->owners[7].load(), 0U);
}

TEST_F(RecordWriter, UnmappedChunksAreNotClaimed) {
  g_process.mapped[1] = 0;
  append(pop(1));
  while (append(pop(2))) {
  }
  EXPECT_EQ(arena_.header()->owners[wire::first_chunk(wire::ChunkSize::kLarge)].load(), 0U);
}

TEST_F(RecordWriter, AFillingBufferIsAnnouncedOnce) {
  append(pop(1));
  EXPECT_EQ(arena_.header()->drain_requested.load(), 0U);
  while (t_state.chunk_index < 2) {  // of eight
    EXPECT_EQ(arena_.header()->drain_requested.load(), 0U);
    append(pop(2));
  }
  EXPECT_EQ(arena_.header()->drain_requested.load(), 1U);
}

TEST_F(RecordWriter, EachThreadHasItsOwnChunks) {
  std::thread other([] { append(pop(7)); });
  other.join();
  append(pop(8));
  EXPECT_EQ(drain().size(), 2U);
}

TEST_F(RecordWriter, EventsAfterTheEndOfTheThreadAreCounted) {
  append(pop(1));
  retire_thread();
  EXPECT_FALSE(append(pop(2)));
  EXPECT_EQ(dropped(wire::DropCause::kThreadGone), 1U);
  EXPECT_EQ(drain().size(), 1U);
  EXPECT_EQ(arena_.header()->owners[0].load(), 0U);  // handed back
}

TEST_F(RecordWriter, StopsWhenTheSessionIsClosed) {
  append(pop(1));
  arena_.close_recording();
  while (append(pop(2))) {
  }
  EXPECT_EQ(live_word(), kOff);
  EXPECT_FALSE(append(pop(3)));
}

TEST_F(RecordWriter, DropsAreNotCountedIfOff) {
  g_live.word = kOff;
  EXPECT_FALSE(append(pop(1)));
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(dropped(wire::DropCause::kNoChunk), 0U);
}

TEST_F(RecordWriter, AStaleCopyOfAForkedThreadIsNotUsed) {
  append(pop(1));
  wire::ChunkHeader* parents = t_state.chunk;
  g_live.word = g_live.self.serial + 1000;  // what a fork child's new serial looks like
  append(pop(2));
  EXPECT_NE(t_state.chunk, parents);
}

}  // namespace
}  // namespace prof::core
