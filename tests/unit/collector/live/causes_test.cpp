#include "collector/live/causes.hpp"

#include <gtest/gtest.h>

namespace prof::live {
namespace {

using Lines = std::vector<std::string>;

bool contains(const std::string& line, const std::string& part) {
  return line.find(part) != std::string::npos;
}

Thread thread_in(pid_t id, const std::string& function, WaitKind kind, const std::string& text,
                 pid_t holder = 0) {
  Thread thread;
  thread.id = id;
  thread.name = "t";
  Frame frame;
  frame.function = function;
  frame.has_name = true;
  thread.frames.push_back(frame);
  thread.wait = {kind, text, 0, holder, {}};
  return thread;
}

ProcessState process_of(pid_t pid, std::vector<Thread> threads, int rank = -1) {
  ProcessState state;
  state.process.pid = pid;
  state.process.name = "p";
  state.process.rank = rank;
  state.threads = std::move(threads);
  return state;
}

TEST(Causes, NumbersAreListedAsRanges) {
  EXPECT_EQ(number_list({3, 0, 1, 2, 7, 8}), "0-3, 7, 8");
  EXPECT_EQ(number_list({}), "");
}

TEST(Causes, ACircleOfThreeThreadsIsADeadlockAndWhoWaitsForItIsNotPartOfIt) {
  const auto lines =
      find_causes({process_of(1, {thread_in(1, "main", WaitKind::kThread, "waits for 2", 2),
                                  thread_in(2, "a", WaitKind::kLock, "waits for 3", 3),
                                  thread_in(3, "b", WaitKind::kLock, "waits for 4", 4),
                                  thread_in(4, "c", WaitKind::kLock, "waits for 2", 2)})});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "deadlock of 3 threads in process 1 (p):");
  EXPECT_EQ(lines[1], "  thread 2 \"t\" waits for 3; it is in a()");
}

TEST(Causes, AMutexThatItsThreadHoldsAlready) {
  const auto lines = find_causes({process_of(1, {thread_in(1, "f", WaitKind::kLock, "w", 1)})});
  EXPECT_EQ(lines, (Lines{"deadlock in process 1 (p):", "  thread 1 \"t\" w; it is in f()"}));
}

TEST(Causes, ALockThatASleepingThreadHolds) {
  const auto lines =
      find_causes({process_of(1, {thread_in(1, "f", WaitKind::kLock, "waits for mutex M", 3),
                                  thread_in(2, "f", WaitKind::kLock, "waits for mutex M", 3),
                                  thread_in(3, "g", WaitKind::kEvent, "sleeps")})});
  EXPECT_EQ(lines, Lines{"2 threads of process 1 (p) cannot go on: one waits for mutex M; "
                         "thread 3 \"t\" is in g() and sleeps"});
}

TEST(Causes, WaitingForTheEndOfAThreadThatWorksIsNoCause) {
  EXPECT_TRUE(find_causes({process_of(1, {thread_in(1, "main", WaitKind::kThread, "joins", 2),
                                          thread_in(2, "work", WaitKind::kNothing, "runs")})})
                  .empty());
}

TEST(Causes, WaitingForTheEndOfAnIdleThreadIsNoCause) {
  for (const WaitKind kind : {WaitKind::kUnknown, WaitKind::kEvent})
    EXPECT_TRUE(find_causes({process_of(1, {thread_in(1, "main", WaitKind::kThread, "joins", 2),
                                            thread_in(2, "work", kind, "waits")})})
                    .empty());
}

TEST(Causes, WaitingForTheEndOfAThreadThatWantsALock) {
  const auto lines =
      find_causes({process_of(1, {thread_in(1, "main", WaitKind::kThread, "joins", 2),
                                  thread_in(2, "work", WaitKind::kLock, "waits for a lock")})});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(contains(lines[0], "it waits for the end of thread 2 \"t\"; thread 2 \"t\" is in"));
}

TEST(Causes, EachProcessOfAChainOfWaitsIsFollowedToItsEnd) {
  auto first = thread_in(1, "main", WaitKind::kPeer, "reads pipe 5");
  first.wait.processes = {2};
  auto second = thread_in(2, "worker", WaitKind::kPeer, "reads pipe 6");
  second.wait.processes = {3};
  const auto lines =
      find_causes({process_of(1, {first}), process_of(2, {second}),
                   process_of(3, {thread_in(3, "slow", WaitKind::kEvent, "sleeps")})});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(lines[0].starts_with("process 1 (p) reads pipe 5; it is in main(). The other end"));
  EXPECT_TRUE(contains(lines[3], "process 3 (p) is in slow() and sleeps"));
}

TEST(Causes, ManyLinesAreCut) {
  std::vector<ProcessState> processes;
  for (pid_t pid = 1; pid <= 20; ++pid)
    processes.push_back(process_of(pid, {thread_in(pid, "f", WaitKind::kLock, "w", pid)}));
  const auto lines = find_causes(processes);
  EXPECT_EQ(lines.size(), 9U);
  EXPECT_TRUE(contains(lines.back(), "32 more lines"));
}

}  // namespace
}  // namespace prof::live
