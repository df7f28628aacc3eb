#include "collector/python/current_states.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace prof::python {
namespace {

// States of two interpreters: kSub was created by thread 1.
constexpr std::uint64_t kSub = 0x100, kMainOf1 = 0x200, kMainOf2 = 0x300;

struct CurrentStatesTest : ::testing::Test {
  std::map<pid_t, std::uint64_t> choose(std::uint64_t current, std::set<pid_t> running,
                                        std::set<std::uint64_t> with_frames = {kSub, kMainOf1,
                                                                               kMainOf2}) {
    std::vector<CurrentStates::State> states;
    for (const auto& [state, thread] :
         {std::pair(kSub, 1), std::pair(kMainOf2, 2), std::pair(kMainOf1, 1)})
      states.push_back({state, thread, state == current, with_frames.contains(state)});
    std::map<pid_t, std::uint64_t> chosen;
    for (const auto& each :
         states_.choose(states, [&](pid_t thread) { return running.contains(thread); })) {
      EXPECT_EQ(each.is_running, running.contains(each.thread));
      chosen[each.thread] = each.state;
    }
    return chosen;
  }
  using Chosen = std::map<pid_t, std::uint64_t>;

  CurrentStates states_;
};

TEST_F(CurrentStatesTest, AThreadRunsTheStateThatIsCurrent) {
  EXPECT_EQ(choose(kSub, {1}), (Chosen{{1, kSub}, {2, kMainOf2}}));
  EXPECT_EQ(choose(kMainOf1, {1}), (Chosen{{1, kMainOf1}, {2, kMainOf2}}));
}

TEST_F(CurrentStatesTest, AnotherThreadMayRunTheStateOfTheCreator) {
  EXPECT_EQ(choose(kSub, {2}), (Chosen{{1, kMainOf1}, {2, kSub}}));
  // It is known from then on, also while both run or the lock is released.
  EXPECT_EQ(choose(kSub, {1, 2}), (Chosen{{1, kMainOf1}, {2, kSub}}));
  EXPECT_EQ(choose(0, {2}).at(2), kSub);
  EXPECT_EQ(choose(0, {2}, {kMainOf1, kMainOf2}).at(2), kMainOf2) << "the subinterpreter has ended";
}

TEST_F(CurrentStatesTest, WhatIsNotClearIsLeftOut) {
  const std::vector<CurrentStates::State> states = {
      {kSub, 9, true, true}, {kMainOf2, 2, false, true}, {kMainOf1, 1, false, true}};
  const auto chosen = states_.choose(states, [](pid_t thread) { return thread != 9; });
  EXPECT_TRUE(std::ranges::none_of(chosen, [](const auto& each) { return each.is_running; }));
}

}  // namespace
}  // namespace prof::python
