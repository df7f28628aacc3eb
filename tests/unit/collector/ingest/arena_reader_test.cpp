#include "collector/ingest/arena_reader.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "collector/ingest/arena.hpp"

namespace prof::ingest {
namespace {

class ArenaReaderTest : public ::testing::Test {
 protected:
  ArenaReaderTest() : arena_(*Arena::create(2, 8)), reader_(arena_) {}

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
  std::string drain() {
    std::string all;
    const auto drained = reader_.drain(
        [&](const PieceHeader& piece, std::span<const std::byte> bytes) -> base::Status {
          last_ = piece;
          all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          return {};
        });
    EXPECT_TRUE(drained);
    owned_ = drained->owned_chunks;
    return all;
  }

  Arena arena_;
  ArenaReader reader_;
  PieceHeader last_{};
  std::uint32_t owned_ = 0;
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

TEST_F(ArenaReaderTest, FreesRetiredChunksAfterTakingTheRest) {
  auto* chunk = own(1);
  publish(chunk, "12345678");
  chunk->retired = 1;
  EXPECT_EQ(drain(), "12345678");
  EXPECT_EQ(arena_.header()->owners[1].load(), 0U);
  EXPECT_EQ(chunk->committed.load(), 0U);
  EXPECT_EQ(owned_, 0U);
  publish(own(1, 21), "abcdefgh");  // the next owner starts at its beginning
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
  too_much->committed = wire::kChunkCapacity + 8;
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
  arena_.header()->backed_chunks = 4'000'000'000;
  EXPECT_EQ(drain(), "");
  arena_.header()->max_chunks = 4'000'000'000;  // the reader knows the real one
  EXPECT_EQ(drain(), "");
}

TEST_F(ArenaReaderTest, TheArenaGrows) {
  EXPECT_EQ(arena_.backed(), 2U);
  EXPECT_TRUE(arena_.grow());
  EXPECT_EQ(arena_.header()->backed_chunks.load(), 4U);
  EXPECT_TRUE(arena_.grow());
  EXPECT_FALSE(arena_.grow());
  publish(own(7), "12345678");
  EXPECT_EQ(drain(), "12345678");
}

}  // namespace
}  // namespace prof::ingest
