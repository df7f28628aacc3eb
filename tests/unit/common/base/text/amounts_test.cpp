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

std::optional<double> whole(std::string_view text, bool needs_unit) {
  const auto ns = take_duration(text, needs_unit);
  return text.empty() ? ns : std::nullopt;
}

TEST(Amounts, Durations) {
  EXPECT_EQ(whole("1.5ms", true), 1.5e6);
  EXPECT_EQ(whole("2m", true), 120e9);
  EXPECT_EQ(whole("3msec", true), 3e6);
  EXPECT_EQ(whole("7", false), 7);
  for (const char* wrong : {"7", "", "s", "1 s", "1sx", "1e999s", "nans"})
    EXPECT_FALSE(whole(wrong, true)) << wrong;
}

TEST(Amounts, PartsOfASum) {
  std::string_view text = "1s2ms";
  EXPECT_EQ(take_duration(text, false), 1e9);
  EXPECT_EQ(take_duration(text, false), 2e6);
  EXPECT_TRUE(text.empty());
}

}  // namespace
}  // namespace prof::base
