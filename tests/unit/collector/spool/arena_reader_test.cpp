#include "collector/spool/arena_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "collector/spool/arena.hpp"
#include "common/wire/records.hpp"

namespace prof::spool {
namespace {

class ArenaReaderTest : public ::testing::Test {
 protected:
  ArenaReaderTest() : arena_(*Arena::create({2, 2}, {8, 8})), reader_(arena_) {}

  // As a target: owns chunk `index` and publishes `bytes` of records.
  wire::ChunkHeader* own(std::uint32_t index, std::uint32_t serial = 20, std::uint32_t tid = 7) {
    arena_.header()->owners[index] = wire::owner_word(serial, tid);
    wire::ChunkHeader* chunk = wire::chunk_at(arena_.header(), index);
    chunk->magic = wire::kChunkMagic;
    return chunk;
  }
  static void publish(wire::ChunkHeader* chunk, const std::string& bytes) {
    const std::uint32_t committed = chunk->committed;
    std::memcpy(reinterpret_cast<char*>(chunk + 1) + committed, bytes.data(), bytes.size());
    chunk->committed = committed + static_cast<std::uint32_t>(bytes.size());
  }
  std::string drain(bool all_counters = false) {
    std::string all;
    const auto drained = reader_.drain(
        [&](const PieceHeader& piece, std::span<const std::byte> bytes) -> base::Status {
          last_ = piece;
          all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          return {};
        },
        all_counters);
    EXPECT_TRUE(drained);
    owned_ = drained->owned;
    return all;
  }

  Arena arena_;
  ArenaReader reader_;
  PieceHeader last_{};
  ChunkCounts owned_;
};

TEST_F(ArenaReaderTest, TakesEachByteOnce) {
  auto* chunk = own(0);
  publish(chunk, "12345678");
  EXPECT_EQ(drain(), "12345678");
  EXPECT_EQ(drain(), "");
  publish(chunk, "abcdefgh");
  EXPECT_EQ(drain(), "abcdefgh");
  EXPECT_EQ(last_.serial, 20U);
  EXPECT_EQ(last_.tid, 7U);
  EXPECT_EQ(last_.offset, 8U);
}

TEST_F(ArenaReaderTest, TakesWhatWasAddedToCounters) {
  auto* chunk = own(0);
  wire::ShortCallCounter& counter = *(wire::counters_end(chunk, 0) - 1);
  counter = {5, 500, 11, 22, 3, 0};
  chunk->counters = 1;
  EXPECT_EQ(drain(), "");
  const auto taken = [&] {
    const std::string bytes = drain(true);
    wire::ShortCallsRecord record{};
    std::memcpy(&record, bytes.data(), std::min(bytes.size(), sizeof record));
    EXPECT_TRUE(bytes.empty() || bytes.size() == sizeof record);
    return record;
  };
  const wire::ShortCallsRecord first = taken();
  EXPECT_EQ(first.header.type, wire::RecordType::kShortCalls);
  EXPECT_EQ(first.header.aux, 3U);
  EXPECT_EQ(first.calls, 5U);
  EXPECT_EQ(first.time, 500U);
  EXPECT_EQ(first.first, 11U);
  EXPECT_EQ(first.last, 22U);
  EXPECT_EQ(taken().calls, 0U);
  counter.calls = 7;
  counter.time = 800;
  chunk->retired = 1;
  const wire::ShortCallsRecord rest = taken();
  EXPECT_EQ(rest.calls, 2U);
  EXPECT_EQ(rest.time, 300U);
  EXPECT_EQ(chunk->counters, 0U);
  // The next owner starts again.
  own(0);
  counter.calls = 1;
  chunk->counters = 1;
  reader_.mark_dead(20);
  EXPECT_EQ(taken().calls, 1U);
}

TEST_F(ArenaReaderTest, ImpossibleNumbersOfCountersAreLimited) {
  own(0)->counters = ~0U;
  EXPECT_LE(drain(true).size(), wire::kChunkBytes[0]);
}

TEST_F(ArenaReaderTest, LeavesChunksOfImagesThatAreNotKnownYet) {
  bool is_known = false;
  reader_.wait_for([&](std::uint32_t serial) { return serial != 21 || is_known; });
  publish(own(0, 20), "12345678");
  auto* unknown = own(1, 21);
  publish(unknown, "abcdefgh");
  unknown->retired = 1;
  EXPECT_EQ(drain(), "12345678");
  EXPECT_EQ(owned_.small, 2U);
  is_known = true;
  EXPECT_EQ(drain(), "abcdefgh");
  EXPECT_EQ(owned_.small, 1U);
}

TEST_F(ArenaReaderTest, KeepsTheOrderOfAThreadIfAskedTo) {
  auto* later = own(0);
  later->claimed = 200;
  auto* earlier = own(1);
  earlier->claimed = 100;
  publish(later, "later...");
  publish(earlier, "earlier.");
  reader_.keep_order();
  EXPECT_EQ(drain(), "earlier.later...");
}

TEST_F(ArenaReaderTest, FreesRetiredChunksAfterTakingTheRest) {
  auto* chunk = own(1);
  publish(chunk, "12345678");
  chunk->retired = 1;
  EXPECT_EQ(drain(), "12345678");
  EXPECT_EQ(arena_.header()->owners[1].load(), 0U);
  EXPECT_EQ(chunk->committed.load(), 0U);
  EXPECT_EQ(owned_.small, 0U);
  publish(own(1, 21), "abcdefgh");  // the next owner starts at the beginning
  EXPECT_EQ(drain(), "abcdefgh");
  EXPECT_EQ(last_.offset, 0U);
}

TEST_F(ArenaReaderTest, SalvagesTheDead) {
  publish(own(0, 20), "deadbeef");
  publish(own(1, 21), "livebeef");
  reader_.mark_dead(20);
  EXPECT_EQ(drain(), "deadbeeflivebeef");
  EXPECT_EQ(arena_.header()->owners[0].load(), 0U);
  EXPECT_NE(arena_.header()->owners[1].load(), 0U);
}

TEST_F(ArenaReaderTest, AFailingSinkLosesNothing) {
  publish(own(0), "12345678");
  const auto failed =
      reader_.drain([](const PieceHeader&, std::span<const std::byte>) -> base::Status {
        return base::fail("full");
      });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "full");
  EXPECT_EQ(drain(), "12345678");
}

TEST_F(ArenaReaderTest, DistrustsWhatItReads) {
  auto* too_much = own(0);
  too_much->committed = wire::chunk_capacity(wire::ChunkSize::kSmall) + 8;
  auto* crooked = own(1);
  crooked->committed = 13;
  EXPECT_EQ(drain(), "");
  EXPECT_EQ(reader_.corrupt_chunks(), 2U);
  EXPECT_EQ(drain(), "");
  EXPECT_EQ(reader_.corrupt_chunks(), 2U);  // once is enough
  too_much->retired = 1;
  drain();
  EXPECT_EQ(arena_.header()->owners[0].load(), 0U);
}

TEST_F(ArenaReaderTest, WrongMagicIsNotBelieved) {
  auto* chunk = own(0);
  publish(chunk, "12345678");
  chunk->magic = 1;
  EXPECT_EQ(drain(), "");
  EXPECT_EQ(reader_.corrupt_chunks(), 1U);
}

TEST_F(ArenaReaderTest, AHostileChunkCountStaysInBounds) {
  for (wire::ChunkPool& pool : arena_.header()->pools) {
    pool.backed = 4'000'000'000;
    pool.free_from = 4'000'000'000;
  }
  arena_.header()->owners[wire::kMaxChunks[0] - 1] = 1;  // a chunk without memory
  EXPECT_EQ(drain(), "");
  EXPECT_EQ(owned_.small, 0U);
}

TEST_F(ArenaReaderTest, TheArenaGrows) {
  const std::uint32_t large = wire::first_chunk(wire::ChunkSize::kLarge);
  EXPECT_TRUE(arena_.grow(wire::ChunkSize::kLarge));
  EXPECT_EQ(arena_.backed().large, 4U);
  EXPECT_EQ(arena_.backed().small, 2U);
  EXPECT_EQ(arena_.header()->pools[1].backed.load(), 4U);
  EXPECT_TRUE(arena_.grow(wire::ChunkSize::kLarge));
  EXPECT_FALSE(arena_.grow(wire::ChunkSize::kLarge));
  EXPECT_TRUE(arena_.grow_a_little(wire::ChunkSize::kSmall));
  EXPECT_EQ(arena_.backed().small, 8U);  // all chunks: fewer than one step
  publish(own(large + 7), "12345678");
  EXPECT_EQ(drain(), "12345678");
  EXPECT_EQ(owned_.large, 1U);
}

// As a thread of a target does, after it has allocated the memory.
TEST_F(ArenaReaderTest, ChunksThatAThreadAddedAreTaken) {
  const std::uint32_t chunk = wire::first_chunk(wire::ChunkSize::kLarge) + 4;
  arena_.header()->pools[1].backed = 5;
  publish(own(chunk), "12345678");
  EXPECT_EQ(drain(), "");  // not before the collector has made sure
  EXPECT_FALSE(arena_.repair());
  EXPECT_EQ(arena_.backed().large, 5U);
  EXPECT_EQ(drain(), "12345678");
}

TEST_F(ArenaReaderTest, ImpossibleChunksAreNotAdded) {
  for (const std::uint32_t lie : {0U, 9U, 4'000'000'000U}) {
    arena_.header()->pools[0].backed = lie;
    EXPECT_TRUE(arena_.repair()) << lie;
    EXPECT_EQ(arena_.backed().small, 2U);
    EXPECT_EQ(arena_.header()->pools[0].backed.load(), 2U);
    EXPECT_FALSE(arena_.repair());
  }
}

TEST_F(ArenaReaderTest, ALargeChunkHoldsMore) {
  auto* chunk = own(wire::first_chunk(wire::ChunkSize::kLarge));
  const std::string much(wire::chunk_capacity(wire::ChunkSize::kLarge), 'x');
  publish(chunk, much);
  EXPECT_EQ(drain(), much);
  EXPECT_EQ(reader_.corrupt_chunks(), 0U);
}

TEST_F(ArenaReaderTest, FreedChunksAreFoundFirst) {
  std::atomic<std::uint32_t>& from = arena_.header()->pools[0].free_from;
  from = 2;
  auto* chunk = own(1);
  chunk->retired = 1;
  drain();
  EXPECT_EQ(from.load(), 1U);
}

TEST(ChunksWithin, SharesMemoryBetweenTheSizes) {
  EXPECT_EQ(chunks_within(0).small, 16U);
  EXPECT_EQ(chunks_within(0).large, 16U);
  const ChunkCounts usual = chunks_within(std::uint64_t{320} << 20);
  EXPECT_EQ(usual.small, 16384U);
  EXPECT_EQ(usual.large, 4096U);
  const ChunkCounts most = chunks_within(~std::uint64_t{0});
  EXPECT_EQ(most.small, wire::kMaxChunks[0]);
  EXPECT_EQ(most.large, wire::kMaxChunks[1]);
}

TEST(ChunksInFile, LargeOnesLieBehindAllSmallOnes) {
  const ChunkCounts usual{16384, 4096};
  const ChunkCounts few = chunks_in_file(wire::kArenaHeaderBytes + 40 * 4096, usual);
  EXPECT_EQ(few.small, 40U);
  EXPECT_EQ(few.large, 0U);
  EXPECT_LE(wire::arena_bytes(few.small, few.large), wire::kArenaHeaderBytes + 40 * 4096);
  const ChunkCounts more = chunks_in_file(wire::arena_bytes(16384, 7), usual);
  EXPECT_EQ(more.small, 16384U);
  EXPECT_EQ(more.large, 7U);
  EXPECT_EQ(chunks_in_file(1000, usual).small, 0U);
}

}  // namespace
}  // namespace prof::spool
