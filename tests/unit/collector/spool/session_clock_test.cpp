#include "collector/spool/session_clock.hpp"

#include <gtest/gtest.h>

namespace prof::spool {
namespace {

TEST(SessionClock, ConvertsDurations) {
  const SessionClock clock = SessionClock::tsc(2.5e9);
  EXPECT_EQ(clock.to_ticks(1000), 2500U);
  EXPECT_DOUBLE_EQ(clock.to_ns(2500), 1000);
}

TEST(SessionClock, MonotonicRawCountsNanoseconds) {
  const SessionClock clock = SessionClock::monotonic_raw();
  EXPECT_FALSE(clock.is_tsc());
  EXPECT_EQ(clock.to_ticks(77), 77U);
  const ClockTriple now = clock.read();
  EXPECT_EQ(now.ticks, static_cast<std::uint64_t>(now.monotonic));
}

TEST(SessionClock, IsMeasured) {
  const SessionClock clock = ClockMeasurement().finish();
  EXPECT_EQ(clock.is_tsc(), tsc_is_reliable());
  EXPECT_GT(clock.ticks_per_second(), 1e8);
  const std::uint64_t before = clock.now();
  EXPECT_GE(clock.now(), before);
}

}  // namespace
}  // namespace prof::spool
