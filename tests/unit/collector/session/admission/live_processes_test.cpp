#include "collector/session/admission/live_processes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <set>

#include "common/wire/chunk.hpp"

namespace prof::session {
namespace {

class LiveProcessesTest : public ::testing::Test {
 protected:
  LiveProcess& add(std::uint32_t serial, pid_t pid, std::uint64_t time, std::string name = {}) {
    LiveProcess process;
    process.serial = serial;
    process.pid = pid;
    process.time = time;
    process.name = std::move(name);
    return processes_.add(std::move(process));
  }

  std::unique_ptr<wire::ArenaHeader> arena_ = std::make_unique<wire::ArenaHeader>();
  LiveProcesses processes_{arena_.get()};
};

TEST_F(LiveProcessesTest, SerialsAreNeverReused) {
  const auto first = processes_.add(getpid(), "").serial;
  EXPECT_GE(first, wire::kFirstCollectorSerial);
  EXPECT_EQ(processes_.remove(getpid()).size(), 1U);
  EXPECT_TRUE(processes_.empty());
  EXPECT_GT(processes_.add(getpid(), "").serial, first);
}

TEST_F(LiveProcessesTest, TheNextProcessInASlotHasNoInterpreterOfTheLast) {
  const std::uint32_t slot = processes_.add(getpid(), "").slot;
  auto& runtime = arena_->slots[slot].python_runtime;
  runtime = 5;
  processes_.release(processes_.remove(getpid()).at(0));
  EXPECT_EQ(runtime, 0U);
}

TEST_F(LiveProcessesTest, RemembersImagesThatWereRemoved) {
  EXPECT_FALSE(processes_.was_added(17));
  add(17, 5, 0, "/bin/a");
  EXPECT_EQ(processes_.remove(5).at(0).name, "/bin/a");
  EXPECT_TRUE(processes_.was_added(17));
  EXPECT_EQ(processes_.name_of(17), "/bin/a");
  EXPECT_EQ(processes_.name_of(18), "");
  EXPECT_EQ(processes_.assigned_serials(), 0U);  // it took its serial itself
  processes_.add(6, "/bin/b");
  EXPECT_EQ(processes_.assigned_serials(), 1U);
}

TEST_F(LiveProcessesTest, AProcessRunsOneImageAtATime) {
  add(20, 5, 100);
  add(21, 6, 100);
  EXPECT_TRUE(processes_.remove_replaced(5).empty());
  add(30, 5, 200);  // after an exec
  ASSERT_EQ(processes_.remove_replaced(5).size(), 1U);
  add(25, 5, 150);  // an earlier image whose arrival is read late
  const auto past = processes_.remove_replaced(5);
  ASSERT_EQ(past.size(), 1U);
  EXPECT_EQ(past[0].serial, 25U);
  add(31, 5, 200).is_reaped = true;  // another process that had its pid and has ended
  EXPECT_EQ(processes_.remove_replaced(5).size(), 2U);
  EXPECT_TRUE(processes_.has(6));
}

TEST_F(LiveProcessesTest, TheClocksOfCpusMayDiffer) {
  add(40, 7, 300);
  add(41, 7, 299);
  const auto past = processes_.remove_replaced(7);
  ASSERT_EQ(past.size(), 1U);
  EXPECT_EQ(past[0].serial, 40U);
}

TEST_F(LiveProcessesTest, SlotsAreNotSharedUntilTheyRunOut) {
  std::set<std::uint32_t> slots;
  for (std::uint32_t i = 0; i < wire::kProcessSlots + 10; ++i)
    slots.insert(processes_.add(0, "").slot);
  EXPECT_EQ(slots.size(), wire::kProcessSlots);
  const auto taken = processes_.remove_all();
  EXPECT_EQ(taken.size(), wire::kProcessSlots + 10);
  EXPECT_EQ(processes_.add(0, "").slot, wire::kProcessSlots - 1);  // until they are released
  for (const LiveProcess& image : taken) processes_.release(image);
  EXPECT_NE(processes_.add(0, "").slot, wire::kProcessSlots - 1);
}

TEST_F(LiveProcessesTest, FindsTheOwnerOfAPidfd) {
  const LiveProcess& self = processes_.add(getpid(), "");
  if (!self.pidfd) GTEST_SKIP() << "no pidfd here";
  EXPECT_EQ(processes_.owner_of(self.pidfd.get()), getpid());
  EXPECT_EQ(processes_.owner_of(-5), 0);
}

}  // namespace
}  // namespace prof::session
