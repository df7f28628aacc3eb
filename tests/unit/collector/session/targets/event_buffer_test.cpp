#include "collector/session/targets/event_buffer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "collector/spool/spool.hpp"

namespace prof::session {
namespace {

class EventBufferTest : public ::testing::Test {
 protected:
  ~EventBufferTest() override { unlink(path_.c_str()); }

  static spool::SpoolWriter make_spool(const std::string& path) {
    unlink(path.c_str());
    return spool::SpoolWriter::create(path).value();
  }

  const std::string path_ =
      ::testing::TempDir() + "prof-event-buffer-" + std::to_string(getpid()) + ".spool";
  SpoolRecorder recorder_{make_spool(path_)};
  spool::Arena arena_ = spool::Arena::create({8, 4}, {16, 8}).value();
  LiveProcesses processes_{arena_.header()};
  EventBuffer buffer_{recorder_, processes_, std::move(arena_)};
};

TEST_F(EventBufferTest, ReportsEachDropOnce) {
  constexpr std::uint32_t kSlot = 5;
  const auto cause = wire::DropCause{};
  buffer_.header().slots[kSlot].dropped[static_cast<std::size_t>(cause)].store(7);
  const spool::Drops drops = buffer_.take_drops(kSlot);
  ASSERT_EQ(drops.size(), 1U);
  EXPECT_EQ(drops.begin()->first, spool::to_drop_cause(cause));
  EXPECT_EQ(drops.begin()->second, 7U);
  EXPECT_TRUE(buffer_.take_drops(kSlot).empty());
}

TEST_F(EventBufferTest, ProvidesRoomForProcessesThatWantIt) {
  const spool::ChunkCounts before = buffer_.arena().backed();
  buffer_.header().room_wanted.store(1);
  buffer_.drain(nullptr);
  EXPECT_GT(buffer_.arena().backed().small, before.small);
}

TEST_F(EventBufferTest, ReportsADamagedHeader) {
  buffer_.report_damage();
  EXPECT_TRUE(spool::Spool::open(path_)->notes.all<spool::DiagnosticNote>().empty());
  buffer_.header().magic ^= 1;
  buffer_.drain(nullptr);
  buffer_.report_damage();
  EXPECT_EQ(spool::Spool::open(path_)->notes.all<spool::DiagnosticNote>().size(), 1U);
}

}  // namespace
}  // namespace prof::session
