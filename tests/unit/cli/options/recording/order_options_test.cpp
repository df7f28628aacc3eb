// --at of prof start.
#include "cli/options/recording/order_options.hpp"

#include <gtest/gtest.h>

#include "cli/messages/failure.hpp"

namespace prof::cli {

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

TEST(OrderTime, CountsFromNow) {
  EXPECT_EQ(time_of("+15s", 7), 15 * kSecondNs + 7);
  EXPECT_EQ(time_of("+250ms", 0), kSecondNs / 4);
}

TEST(OrderTime, IsInUtc) {
  EXPECT_EQ(time_of("1970-01-02T00:00:01Z", 5), 86'401 * kSecondNs);
  EXPECT_EQ(time_of("2026-11-27T16:00:00.250Z", 1'795'795'190 * kSecondNs),
            1'795'795'200 * kSecondNs + kSecondNs / 4);
}

TEST(OrderTime, IsNotInThePastAndNotFarAway) {
  for (const char* text : {"1970-01-02T00:00:01Z", "2030-01-01T00:00:00Z", "9999-01-01T00:00:00Z",
                           "0001-01-01T00:00:00Z", "+9000h", "+99999999999999h"})
    EXPECT_THROW(static_cast<void>(time_of(text, 1'795'795'200 * kSecondNs)), Failure) << text;
  EXPECT_EQ(time_of("+0s", 7), 7);
}

TEST(OrderTime, RefusesOtherTexts) {
  for (const char* text : {"", "15s", "+", "+15", "+-1s", "2026-11-27", "2026-11-27T16:00:00",
                           "2026-11-27T16:00:00+01:00", "2026-11-27T16:00:00Zx"})
    EXPECT_THROW(static_cast<void>(time_of(text, 0)), Failure) << text;
}

}  // namespace

}  // namespace prof::cli
