#include "injection/core/record/arena_room.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "collector/spool/decoder.hpp"
#include "tests/unit/injection/core/session_fixture.hpp"

namespace prof::core {
namespace {

using wire::ChunkSize;

constexpr spool::ChunkCounts kMax{256, 16};

// An arena of which only a few chunks have memory.
class ArenaRoom : public SessionFixture {
 protected:
  ArenaRoom() : SessionFixture({16, 2}, kMax) {}
  void SetUp() override {
    if (!spool::threads_can_add_memory()) GTEST_SKIP() << "the kernel is too old";
  }
  ~ArenaRoom() override { g_process.sandboxed = false; }

  static bool append_one() {
    return append(
        wire::NvtxPopRecord{header_of<wire::NvtxPopRecord>(wire::RecordType::kNvtxPop), 1});
  }
  static std::uint64_t append_until_full() {
    std::uint64_t written = 0;
    while (append_one()) ++written;
    return written;
  }
  std::uint64_t taken() {
    arena_.repair();
    std::uint64_t pops = 0;
    for (const auto& [tid, bytes] : drain())
      spool::decode(bytes, [&](const wire::NvtxPopRecord&) { ++pops; });
    return pops;
  }
};

TEST_F(ArenaRoom, AThreadAddsChunksUntilAllAreUsed) {
  const std::uint64_t written = append_until_full();
  EXPECT_EQ(usable_chunks(ChunkSize::kSmall), kMax.small);
  EXPECT_EQ(usable_chunks(ChunkSize::kLarge), kMax.large);
  EXPECT_GT(written, 16 * wire::chunk_capacity(ChunkSize::kLarge) / sizeof(wire::NvtxPopRecord));
  EXPECT_EQ(taken(), written);
  EXPECT_EQ(arena_.backed().small, kMax.small);
  EXPECT_EQ(arena_.backed().large, kMax.large);
}

TEST_F(ArenaRoom, NothingIsLostWhenManyThreadsAddChunksAtOnce) {
  constexpr int kThreads = 100;
  std::atomic<std::uint64_t> written{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (int event = 0; event < 300; ++event) written += append_one() ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(written, 300U * kThreads);
  EXPECT_EQ(dropped(wire::DropCause::kNoChunk), 0U);
  EXPECT_EQ(taken(), written);
}

TEST_F(ArenaRoom, ASandboxedProcessUsesWhatWasReserved) {
  adopt_thread();
  reserve_chunks(1);
  EXPECT_EQ(arena_.header()->room_wanted.load(), 1U);
  EXPECT_EQ(usable_chunks(ChunkSize::kSmall), kMax.small);
  EXPECT_EQ(usable_chunks(ChunkSize::kLarge), kMax.large);
  g_process.sandboxed = true;
  EXPECT_FALSE(add_chunks(ChunkSize::kSmall));
  EXPECT_TRUE(append_one());
}

TEST_F(ArenaRoom, ASandboxedProcessAddsNothing) {
  adopt_thread();
  g_process.sandboxed = true;
  append_until_full();
  EXPECT_EQ(usable_chunks(ChunkSize::kSmall), 16U);
  EXPECT_EQ(usable_chunks(ChunkSize::kLarge), 2U);
  EXPECT_GT(dropped(wire::DropCause::kNoChunk), 0U);
}

TEST_F(ArenaRoom, ChunksThatAreNotMappedAreNotAdded) {
  g_process.mapped[0] = 20;
  g_process.mapped[1] = 2;
  append_until_full();
  EXPECT_EQ(usable_chunks(ChunkSize::kSmall), 20U);
  EXPECT_EQ(usable_chunks(ChunkSize::kLarge), 2U);
}

// Here a write would raise SIGBUS: the mapping goes beyond the end of the file, as it does when
// memory is short.
TEST_F(ArenaRoom, WithoutMemoryEventsAreDropped) {
  const int file = memfd_create("short", MFD_CLOEXEC);
  const std::size_t whole = wire::arena_bytes(kMax.small, 0);
  const std::size_t part = wire::arena_bytes(32, 0);
  ASSERT_EQ(ftruncate(file, static_cast<off_t>(part)), 0);
  void* memory = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ASSERT_NE(memory, MAP_FAILED);
  g_process.arena = static_cast<wire::ArenaHeader*>(memory);
  g_process.mapped[1] = 0;
  append_until_full();
  EXPECT_EQ(usable_chunks(ChunkSize::kSmall), 32U);
  EXPECT_GT(g_process.arena->slots[0].dropped[0].load(), 0U);
  g_process.arena = arena_.header();
  munmap(memory, whole);
  close(file);
}

TEST_F(ArenaRoom, RoomThatCanBeAddedIsRoom) {
  EXPECT_EQ(expected_chunks(ChunkSize::kSmall), kMax.small);
  for (std::uint32_t i = 0; i < 16; ++i) arena_.header()->owners[i] = 1;
  for (std::uint32_t i = 0; i < 2; ++i)
    arena_.header()->owners[wire::first_chunk(ChunkSize::kLarge) + i] = 1;
  EXPECT_TRUE(leaves_room(1000));
  EXPECT_TRUE(append_one());
  EXPECT_TRUE(has_room(8 * 1024));
  EXPECT_GT(usable_chunks(ChunkSize::kLarge), 2U);
}

}  // namespace
}  // namespace prof::core
