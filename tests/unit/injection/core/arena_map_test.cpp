#include "injection/core/arena_map.hpp"

#include <sys/resource.h>

#include "tests/unit/injection/core/session_fixture.hpp"

namespace prof::core {
namespace {

class ArenaMap : public SessionFixture {
 protected:
  ArenaMap() : SessionFixture(64) {}

  static bool append_one() {
    return append(
        wire::NvtxPopRecord{header_of<wire::NvtxPopRecord>(wire::RecordType::kNvtxPop), 1});
  }
};

TEST_F(ArenaMap, WhatHasMemoryStaysWithoutALimit) {
  shrink_arena(RLIM_INFINITY);
  EXPECT_EQ(g_process.mapped_chunks.load(), 64U);
}

TEST_F(ArenaMap, GivesWayToALimit) {
  EXPECT_TRUE(append_one());
  shrink_arena(std::uint64_t{16} << 20);  // an eighth is 2 MiB: 30 chunks and the header
  EXPECT_EQ(g_process.mapped_chunks.load(), 30U);
  std::uint64_t written = 0;
  while (append_one()) ++written;  // to the end of what is left, and not beyond
  EXPECT_GT(written, 29 * wire::kChunkCapacity / sizeof(wire::NvtxPopRecord));
  EXPECT_EQ(arena_.header()->owners[29].load() != 0, true);
  EXPECT_EQ(arena_.header()->owners[30].load(), 0U);
}

TEST_F(ArenaMap, AFewChunksStayHoweverSmallTheLimit) {
  shrink_arena(4096);
  EXPECT_EQ(g_process.mapped_chunks.load(), 8U);
  EXPECT_TRUE(append_one());
}

TEST_F(ArenaMap, ChunksInUseStay) {
  for (std::uint32_t i = 0; i < 20; ++i) arena_.header()->owners[i] = 1;  // another process's
  EXPECT_TRUE(append_one());
  shrink_arena(4096);
  EXPECT_EQ(g_process.mapped_chunks.load(), 21U);
  EXPECT_TRUE(append_one());
  for (std::uint32_t i = 0; i < 20; ++i) arena_.header()->owners[i] = 0;
}

}  // namespace
}  // namespace prof::core
