// Puts this process into its own session, without a socket, so that a test can read its records.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <vector>

#include "collector/spool/arena.hpp"
#include "collector/spool/arena_reader.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/record_writer.hpp"

namespace prof::core {

class SessionFixture : public ::testing::Test {
 protected:
  // All chunks have memory.
  explicit SessionFixture(spool::ChunkCounts chunks = {8, 4}) : SessionFixture(chunks, chunks) {}
  SessionFixture(spool::ChunkCounts initial, spool::ChunkCounts chunks)
      : arena_(std::move(*spool::Arena::create(initial, chunks))), reader_(arena_) {
    static std::uint32_t next_serial = wire::kFirstSerial;
    t_state = ThreadState{};
    g_process.arena = arena_.header();
    g_process.mapped[0] = chunks.small;
    g_process.mapped[1] = chunks.large;
    g_live.self = g_process.forker = {.serial = next_serial, .slot = 0, .pid = getpid()};
    g_process.features = wire::kFeatureOsrt | wire::kFeatureNvtx;
    g_process.use_tsc = true;
    g_process.osrt_threshold = 0;
    g_process.config.nvtx_filter = wire::NvtxFilter::kNone;
    g_live.word = next_serial++;
  }
  ~SessionFixture() override {
    g_live.word = kOff;
    g_process.arena = nullptr;
    t_state = ThreadState{};
  }

  // The records of each thread since the last call, as bytes.
  std::map<std::uint32_t, std::vector<std::byte>> drain() {
    std::map<std::uint32_t, std::vector<std::byte>> threads;
    const auto drained = reader_.drain(
        [&](const spool::PieceHeader& piece, std::span<const std::byte> bytes) -> base::Status {
          auto& all = threads[piece.tid];
          all.insert(all.end(), bytes.begin(), bytes.end());
          return {};
        });
    EXPECT_TRUE(drained);
    return threads;
  }

  std::uint64_t dropped(wire::DropCause cause) const {
    return arena_.header()->slots[0].dropped[static_cast<std::size_t>(cause)];
  }

  spool::Arena arena_;
  spool::ArenaReader reader_;
};

}  // namespace prof::core
