#include "common/base/text/regular_expression.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::base {
namespace {

std::string times(int count, const std::string& text) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

std::string error_of(const std::string& pattern) {
  const auto made = RegularExpression::make(pattern);
  return made ? "" : made.error().message;
}

TEST(RegularExpression, MatchesAPartInUpperAndLowerCase) {
  const auto expression = RegularExpression::make("gemm|copy$");
  ASSERT_TRUE(expression);
  EXPECT_TRUE(expression->matches("sm90_GEMM_f32"));
  EXPECT_TRUE(expression->matches("a copy"));
  EXPECT_FALSE(expression->matches("copy of it"));
}

TEST(RegularExpression, TakesLongNames) {
  const std::string name = times(1900, "Tile_");
  const auto expression = RegularExpression::make("^(" + name + ")$");
  ASSERT_TRUE(expression);
  EXPECT_TRUE(expression->matches(name));
  EXPECT_FALSE(expression->matches(name + "1"));
}

TEST(RegularExpression, RefusesWhatNeedsMemoryOrTimeWithoutLimit) {
  EXPECT_EQ(error_of(times(10'001, "a")), "it has more than 10000 bytes");
  EXPECT_EQ(error_of(times(1001, "a?")), "it has more than 1000 operators");
  EXPECT_EQ(error_of("((a{100}){100}){100}"), "its repetitions are more than 1000");
  EXPECT_EQ(error_of("(a)\\1"), "it has a back-reference");
}

TEST(RegularExpression, EscapedOperatorsAreLetters) {
  EXPECT_EQ(error_of(times(1001, "\\*")), "");
  EXPECT_EQ(error_of("\\{5000}"), "");
  EXPECT_NE(error_of("a{5000}"), "");
}

}  // namespace
}  // namespace prof::base
