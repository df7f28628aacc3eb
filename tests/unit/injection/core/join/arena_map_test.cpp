#include "injection/core/join/arena_map.hpp"

#include <sys/resource.h>

#include "tests/unit/injection/core/session_fixture.hpp"

namespace prof::core {
namespace {

constexpr std::uint32_t kFirstLarge = wire::first_chunk(wire::ChunkSize::kLarge);

class ArenaMap : public SessionFixture {
 protected:
  ArenaMap() : SessionFixture({128, 64}) {}

  static bool append_one() {
    return append(
        wire::NvtxPopRecord{header_of<wire::NvtxPopRecord>(wire::RecordType::kNvtxPop), 1});
  }
  static std::uint32_t small() { return g_process.mapped[0]; }
  static std::uint32_t large() { return g_process.mapped[1]; }
};

TEST_F(ArenaMap, WithoutALimitChunksWithMemoryStay) {
  shrink_arena(RLIM_INFINITY);
  EXPECT_EQ(small(), 128U);
  EXPECT_EQ(large(), 64U);
}

TEST_F(ArenaMap, ShrinksToALimit) {
  EXPECT_TRUE(append_one());
  shrink_arena(std::uint64_t{16} << 20);  // an eighth is 2 MiB: the header, 512 KiB and 960 KiB
  EXPECT_EQ(small(), 128U);
  EXPECT_EQ(large(), 15U);
  std::uint64_t written = 0;
  while (append_one()) ++written;  // to the end of what is left, and not beyond
  EXPECT_GT(written,
            14 * wire::chunk_capacity(wire::ChunkSize::kLarge) / sizeof(wire::NvtxPopRecord));
  EXPECT_NE(arena_.header()->owners[kFirstLarge + 14].load(), 0U);
  EXPECT_EQ(arena_.header()->owners[kFirstLarge + 15].load(), 0U);
}

TEST_F(ArenaMap, AFewChunksStayWithAnyLimit) {
  shrink_arena(4096);
  EXPECT_EQ(small(), 16U);
  EXPECT_EQ(large(), 0U);
  EXPECT_TRUE(append_one());
}

TEST_F(ArenaMap, ChunksInUseStay) {
  for (std::uint32_t i = 0; i < 20; ++i) arena_.header()->owners[i] = 1;  // another process's
  EXPECT_TRUE(append_one());
  shrink_arena(4096);
  EXPECT_EQ(small(), 21U);
  EXPECT_TRUE(append_one());
  for (std::uint32_t i = 0; i < 20; ++i) arena_.header()->owners[i] = 0;
}

}  // namespace
}  // namespace prof::core
