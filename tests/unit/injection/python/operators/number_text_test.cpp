#include "injection/python/operators/number_text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/unit/injection/python/operators/made_up_torch.hpp"

namespace prof::test {
namespace {

std::string text_of(double value) {
  char buffer[64];
  core::Text text(buffer);
  python::add_number(text, number(value).payload);
  return buffer;
}

TEST(NumberText, IsThatOfPython) {
  EXPECT_EQ(text_of(0), "0.0");
  EXPECT_EQ(text_of(-1), "-1.0");
  EXPECT_EQ(text_of(0.5), "0.5");
  EXPECT_EQ(text_of(0.001), "0.001");
  EXPECT_EQ(text_of(-0.19245009), "-0.19245009");
  EXPECT_EQ(text_of(1e-5), "1e-05");
  EXPECT_EQ(text_of(1.25e-8), "1.25e-08");
  EXPECT_EQ(text_of(1234.5), "1234.5");
  EXPECT_EQ(text_of(1e10), "10000000000.0");
  EXPECT_EQ(text_of(1e300), "1e+300");
  EXPECT_EQ(text_of(5e-324), "4.94065646e-324");  // the smallest number
  EXPECT_EQ(text_of(0.9999999999), "1.0");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(text_of(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(NumberText, Integers) {
  char buffer[64];
  core::Text text(buffer);
  python::add_integer(text, std::numeric_limits<std::int64_t>::min());
  python::add_integer(text.add(" "), 0);
  EXPECT_STREQ(buffer, "-9223372036854775808 0");
}

}  // namespace
}  // namespace prof::test
