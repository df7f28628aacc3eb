#include "collector/session/flight/trigger.hpp"

#include <gtest/gtest.h>

namespace prof::session {
namespace {

TEST(Trigger, Durations) {
  std::uint64_t ns = 0;
  EXPECT_TRUE(parse_duration("1.5ms", ns));
  EXPECT_EQ(ns, 1'500'000U);
  EXPECT_TRUE(parse_duration("2m", ns));
  EXPECT_EQ(ns, 120'000'000'000U);
  for (const char* wrong : {"", "5", "ms", "-1s", "1 s", "1sec", "inf s", "1e300s"})
    EXPECT_FALSE(parse_duration(wrong, ns)) << wrong;
}

TEST(Trigger, NamesMayHaveColonsAndAnyCharacter) {
  const auto trigger = parse_trigger("range:a::b*:>4.5p99.9");
  ASSERT_TRUE(trigger);
  EXPECT_EQ(trigger->name, "a::b*");
  EXPECT_DOUBLE_EQ(trigger->factor, 4.5);
  EXPECT_DOUBLE_EQ(trigger->quantile, 0.999);
  EXPECT_TRUE(trigger->matches("a::bcd"));
  EXPECT_FALSE(trigger->matches("xa::bcd"));
}

TEST(Trigger, Conditions) {
  EXPECT_EQ(parse_trigger("osrt:*:>10us")->ns, 10'000U);
  EXPECT_EQ(parse_trigger("cuda:cudaMalloc:error")->kind, FlightTrigger::Kind::kCudaError);
  EXPECT_DOUBLE_EQ(parse_trigger("rate:step:<50%")->factor, 0.5);
  EXPECT_DOUBLE_EQ(parse_trigger("rate:step:<0.1/s")->limit, 0.1);
  EXPECT_TRUE(parse_trigger("metric:x:<-0")->is_below);
  for (const char* wrong :
       {"range", "range:a", "range::>1s", "range:a:", "range:a:>0s", "range:a:>0p99",
        "range:a:>4p100", "range:a:>4p", "cuda:a:>4p99", "rate:a:>5/s", "rate:a:<100%", "rate:a:<5",
        "metric:a:90", "osrt:a:error", "gpu-idle:0:<1s", "x:a:>1s"})
    EXPECT_FALSE(parse_trigger(wrong)) << wrong;
}

}  // namespace
}  // namespace prof::session
