#include "collector/prometheus/range_times.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace prof::prometheus {
namespace {

class RangeTimesTest : public ::testing::Test {
 protected:
  RangeTimesTest() {
    times_.process_joined(16, 0);
    times_.thread(16, 1);
  }
  using Found = std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>;
  Found found_;  // domain, text, ticks
  RangeTimes times_{[this](const RangeName& name, std::uint64_t ticks, std::uint32_t) {
    found_.emplace_back(name.domain, name.text, ticks);
  }};
};

TEST_F(RangeTimesTest, PushesAndPopsNestInEachDomain) {
  times_.domain(1, 900);
  times_.push(0, 5, 100);
  times_.push(1, 6, 110);
  times_.push(0, 7, 120);
  times_.pop(0, 130);
  times_.pop(0, 150);
  times_.pop(0, 160);  // of nothing
  times_.pop(1, 210);
  EXPECT_EQ(found_, (Found{{0, 7, 10}, {0, 5, 50}, {900, 6, 100}}));
}

TEST_F(RangeTimesTest, ThreadsHaveTheirOwn) {
  times_.push(0, 5, 100);
  times_.thread(16, 2);
  times_.pop(0, 110);
  times_.thread(16, 1);
  times_.pop(0, 120);
  EXPECT_EQ(found_, (Found{{0, 5, 20}}));
}

TEST_F(RangeTimesTest, AnotherThreadMayEndARangeAndBeHeardFirst) {
  times_.start(0, 5, 77, 100);
  times_.end(78, 300);
  times_.thread(16, 2);
  times_.end(77, 250);
  times_.start(0, 6, 78, 200);
  EXPECT_EQ(found_, (Found{{0, 5, 150}, {0, 6, 100}}));
}

TEST_F(RangeTimesTest, ForkChildrenKnowTheDomainsOfTheirParents) {
  times_.domain(1, 900);
  times_.process_joined(17, 16);
  times_.process_ended(16);
  EXPECT_FALSE(times_.thread(16, 1));
  ASSERT_TRUE(times_.thread(17, 1));
  times_.push(1, 5, 100);
  times_.pop(1, 101);
  EXPECT_EQ(found_, (Found{{900, 5, 1}}));
}

TEST_F(RangeTimesTest, AChildMayBeHeardBeforeTheDomainsOfItsParent) {
  times_.process_joined(17, 16);
  times_.thread(17, 1);
  times_.push(1, 5, 100);
  times_.pop(1, 101);
  EXPECT_EQ(found_, Found{});
  times_.thread(16, 1);
  times_.domain(1, 900);
  EXPECT_EQ(found_, (Found{{900, 5, 1}}));
}

TEST_F(RangeTimesTest, AChildMayJoinWhenItsParentHasEnded) {
  times_.domain(1, 900);
  times_.process_joined(17, 16);
  times_.process_ended(16);
  times_.process_ended(17);
  times_.process_joined(18, 17);
  times_.thread(18, 1);
  times_.push(1, 5, 100);
  times_.pop(1, 101);
  EXPECT_EQ(found_, (Found{{900, 5, 1}}));
}

TEST_F(RangeTimesTest, AThreadMayBeHeardBeforeTheOneThatMadeItsDomain) {
  times_.thread(16, 2);
  times_.push(1, 5, 100);
  times_.pop(1, 101);
  times_.thread(16, 1);
  times_.domain(1, 900);
  EXPECT_EQ(found_, (Found{{900, 5, 1}}));
}

TEST_F(RangeTimesTest, RangesOfDomainsThatNeverGetANameCountAtTheEndOfTheirProcess) {
  times_.push(1, 5, 100);
  times_.pop(1, 101);
  EXPECT_EQ(found_, Found{});
  times_.process_ended(16);
  EXPECT_EQ(found_, (Found{{0, 5, 1}}));
}

TEST_F(RangeTimesTest, RangesWithoutAnEndAreBounded) {
  for (std::uint64_t i = 0; i < 1'000'000; ++i) times_.push(0, 5, i);
  for (std::uint64_t i = 0; i < 1'000'000; ++i) times_.start(0, 5, i + 1, i);
  times_.pop(0, 2'000'000);
  EXPECT_EQ(found_.size(), 1U);
}

}  // namespace
}  // namespace prof::prometheus
