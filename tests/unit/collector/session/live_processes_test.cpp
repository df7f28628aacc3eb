#include "collector/session/live_processes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "injection/wire/chunk.hpp"

namespace prof::session {
namespace {

TEST(LiveProcesses, SerialsAreNeverReused) {
  LiveProcesses processes;
  const auto first = processes.add(getpid()).serial;
  EXPECT_EQ(processes.take(getpid()).size(), 1U);
  EXPECT_TRUE(processes.empty());
  EXPECT_GT(processes.add(getpid()).serial, first);
}

TEST(LiveProcesses, SlotsAreOwnUntilTheyRunOut) {
  LiveProcesses processes;
  std::set<std::uint32_t> slots;
  for (std::uint32_t i = 0; i < wire::kProcessSlots + 10; ++i) slots.insert(processes.add(0).slot);
  EXPECT_EQ(slots.size(), wire::kProcessSlots);
  const auto taken = processes.take_all();
  EXPECT_EQ(taken.size(), wire::kProcessSlots + 10);
  EXPECT_EQ(processes.add(0).slot, wire::kProcessSlots - 1);  // until they are released
  for (const LiveProcess& image : taken) processes.release(image);
  EXPECT_NE(processes.add(0).slot, wire::kProcessSlots - 1);
}

TEST(LiveProcesses, FindsTheOwnerOfAPidfd) {
  LiveProcesses processes;
  const LiveProcess& self = processes.add(getpid());
  if (!self.pidfd) GTEST_SKIP() << "no pidfd here";
  EXPECT_EQ(processes.owner_of(self.pidfd.get()), getpid());
  EXPECT_EQ(processes.owner_of(-5), 0);
}

TEST(Processes, NameIsTheExecutable) {
  EXPECT_NE(process_name(getpid()).find("unit_collector"), std::string::npos);
}

TEST(Processes, OfASessionAreFoundByTheirEnvironment) {
  EXPECT_TRUE(processes_of_session("/no/such/session").empty());
}

}  // namespace
}  // namespace prof::session
