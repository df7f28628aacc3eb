#include "collector/session/flight/idle_watch.hpp"

#include <gtest/gtest.h>

namespace prof::session {
namespace {

TEST(IdleWatch, FindsEachIdleTimeOnceWhateverTheOrderOfDelivery) {
  IdleWatch watch(100, 50);
  watch.add(0, 1000, 1010);
  EXPECT_TRUE(watch.check(1100).empty());
  // Of two streams, and of one that is delivered later.
  watch.add(0, 1090, 1095);
  watch.add(0, 1015, 1080);
  EXPECT_TRUE(watch.check(1150).empty());
  EXPECT_TRUE(watch.check(1244).empty());
  const auto found = watch.check(1246);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].begin, 1095U);
  EXPECT_TRUE(watch.check(2000).empty());
  watch.add(0, 2000, 2010);
  EXPECT_TRUE(watch.check(2100).empty());
}

TEST(IdleWatch, AGapThatWasNotSeenWhileItLasted) {
  IdleWatch watch(100, 50);
  watch.add(1, 1000, 1010);
  watch.add(1, 1200, 1300);
  const auto found = watch.check(1360);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].device, 1U);
  EXPECT_EQ(found[0].end - found[0].begin, 190U);
}

TEST(IdleWatch, AGpuWithoutWorkIsNotIdle) {
  IdleWatch watch(100, 50);
  EXPECT_TRUE(watch.check(100'000).empty());
}

}  // namespace
}  // namespace prof::session
