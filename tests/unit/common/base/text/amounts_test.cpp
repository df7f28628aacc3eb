#include "common/base/text/amounts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::base {
namespace {

TEST(Amounts, TheUnitThatSuits) {
  EXPECT_EQ(std::string(scaled_duration(999.4).unit), "ns");
  EXPECT_EQ(std::string(scaled_duration(999.6).unit), "us");
  EXPECT_DOUBLE_EQ(scaled_duration(-1.5e6).value, -1.5);
  EXPECT_EQ(std::string(scaled_duration(9e12).unit), "s");
  EXPECT_EQ(std::string(scaled_bytes(2048).unit), "kB");
  EXPECT_DOUBLE_EQ(scaled_bytes(2048).value, 2.048);
  EXPECT_TRUE(scaled_bytes(0).is_smallest_unit);
}

TEST(Amounts, Durations) {
  EXPECT_EQ(parse_duration("1.5ms"), 1.5e6);
  EXPECT_EQ(parse_duration("2m"), 120e9);
  for (const char* wrong : {"7", "", "s", "1 s", "1sx", "1e999s", "nans", "-1s", "1sec"})
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
}

TEST(Amounts, PartsOfASum) {
  std::string_view text = "1s2msec7";
  EXPECT_EQ(take_duration(text), 1e9);
  EXPECT_EQ(take_duration(text), 2e6);
  EXPECT_EQ(take_duration(text), 7);
  EXPECT_TRUE(text.empty());
  EXPECT_FALSE(take_duration(text));
  text = "5h";
  EXPECT_FALSE(take_duration(text));
}

}  // namespace
}  // namespace prof::base
