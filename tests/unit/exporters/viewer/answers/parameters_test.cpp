#include "exporters/viewer/answers/parameters.hpp"

#include <gtest/gtest.h>

namespace prof::view {
namespace {

TEST(Parameters, AreDecoded) {
  const auto parameters = Parameters::parse("q=a%20b%2Fc+d&empty=&none&rows=1%2C2&=x&&q=second");
  EXPECT_EQ(parameters.text("q"), "a b/c d");
  EXPECT_TRUE(parameters.has("q"));
  EXPECT_FALSE(parameters.has("empty"));
  EXPECT_FALSE(parameters.has("none"));
  EXPECT_FALSE(parameters.has(""));
  EXPECT_EQ(parameters.integers("rows", 5), (std::vector<std::int64_t>{1, 2}));
}

TEST(Parameters, WrongEscapesStayAsTheyAre) {
  for (const char* text : {"%", "%4", "%zz", "%4z", "a%"})
    EXPECT_EQ(Parameters::parse(std::string("q=") + text).text("q"), text);
  EXPECT_EQ(Parameters::parse("q=%00").text("q"), std::string_view("\0", 1));
}

TEST(Parameters, NumbersAreWholeAndComplete) {
  EXPECT_EQ(Parameters::parse("n=-12").integer("n"), -12);
  EXPECT_EQ(Parameters::parse("").integer("n", 7), 7);
  for (const char* text : {"", "x", "1x", "1.5", "0x10", "1e3", "%201", "9223372036854775808"}) {
    const auto number = Parameters::parse(std::string("n=") + text).integer("n");
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().status, 400);
  }
}

TEST(Parameters, LimitsHold) {
  EXPECT_EQ(Parameters::parse("n=5").integer_in("n", 1, 5), 5);
  EXPECT_EQ(Parameters::parse("n=6").integer_in("n", 1, 5).error().text,
            "parameter n needs a number from 1 to 5");
  EXPECT_FALSE(Parameters::parse("").integer_in("n", 1, 5));
  EXPECT_EQ(Parameters::parse("").integer_in("n", 1, 5, 3), 3);
}

TEST(Parameters, ListsHaveAtMostThatMany) {
  EXPECT_TRUE(Parameters::parse("n=1,2").integers("n", 2));
  for (const char* text : {"", ",", "1,", "1,,2", "1,2,3", "1;2", "1,x"})
    EXPECT_FALSE(Parameters::parse(std::string("n=") + text).integers("n", 2)) << text;
}

TEST(Parameters, WordsAreKnown) {
  EXPECT_EQ(Parameters::parse("s=b").word("s", {"a", "b"}), 1U);
  EXPECT_EQ(Parameters::parse("").word("s", {"a", "b"}), 0U);
  EXPECT_EQ(Parameters::parse("s=c").word("s", {"a", "b"}).error().text,
            "parameter s is one of: a, b");
}

}  // namespace
}  // namespace prof::view
