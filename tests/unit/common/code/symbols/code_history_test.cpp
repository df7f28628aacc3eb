#include "common/code/symbols/code_history.hpp"

#include <gtest/gtest.h>

namespace prof::symbols {
namespace {

using Found = std::optional<std::uint32_t>;

TEST(CodeHistory, CodeCountsFromItsTimeAndUntilOtherTakesItsPlace) {
  CodeHistory history;
  history.add(100, 50, 10, 1);
  history.add(100, 20, 20, 2);
  EXPECT_EQ(history.find(110, 10), Found(1));
  EXPECT_EQ(history.find(110, 19), Found(1));
  EXPECT_EQ(history.find(110, 20), Found(2));
  EXPECT_EQ(history.find(140, 19), Found(1));
  EXPECT_EQ(history.find(140, 20), Found());  // the whole code has ended
  EXPECT_EQ(history.find(150, 15), Found());
  EXPECT_EQ(history.find(99, 15), Found());
}

TEST(CodeHistory, TheFirstCodeAtAnAddressCountsForBeforeToo) {
  CodeHistory history;
  history.add(100, 50, 10, 1);
  history.add(100, 50, 20, 2);
  EXPECT_EQ(history.find(120, 3), Found(1));
  history.end_all(30);
  history.add(100, 50, 40, 3);
  EXPECT_EQ(history.find(120, 3), Found(1));
  EXPECT_EQ(history.find(120, 35), Found());  // other code was there and has ended
}

TEST(CodeHistory, WhatIsToldOfLateFallsIntoItsPlace) {
  CodeHistory history;
  history.add(100, 50, 30, 3);
  history.add(100, 50, 10, 1);
  EXPECT_EQ(history.find(120, 20), Found(1));
  EXPECT_EQ(history.find(120, 30), Found(3));
}

TEST(CodeHistory, EndsLeaveLaterCodeAlone) {
  CodeHistory history;
  history.add(100, 50, 10, 1);
  history.add(200, 50, 30, 2);
  history.end_all(20);
  EXPECT_EQ(history.find(120, 25), Found());
  EXPECT_EQ(history.find(220, 35), Found(2));
  history.forget_before(25);
  EXPECT_EQ(history.find(120, 15), Found());
  EXPECT_EQ(history.size(), 1U);
}

}  // namespace
}  // namespace prof::symbols
