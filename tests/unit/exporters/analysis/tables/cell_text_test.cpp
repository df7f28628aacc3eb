#include "exporters/analysis/tables/cell_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace prof::tables {
namespace {

std::string text_of(const Cell& cell, int decimals = 0) {
  std::string text;
  add_plain_text(text, cell, {"", CellKind::kReal, decimals});
  return text;
}

TEST(CellText, RoundsHalvesAwayFromZero) {
  EXPECT_EQ(text_of(0.25, 1), "0.3");
  EXPECT_EQ(text_of(-0.25, 1), "-0.3");
  EXPECT_EQ(text_of(2.5), "3");
  EXPECT_EQ(text_of(0.0, 1), "0.0");
  EXPECT_EQ(text_of(-0.01, 1), "-0.0");
  EXPECT_EQ(text_of(0.004, 3), "0.004");
  EXPECT_EQ(text_of(0.0004, 3), "0.000");
  EXPECT_EQ(text_of(12345.678, 2), "12345.68");
  EXPECT_EQ(text_of(99.96, 1), "100.0");
}

TEST(CellText, PrintsNumbersOfAllSizes) {
  EXPECT_EQ(text_of(123456789012345.0, 3), "123456789012345.000");
  EXPECT_EQ(text_of(1e17, 1), "100000000000000000.0");
  EXPECT_EQ(text_of(std::numeric_limits<double>::infinity(), 1), "inf");
  EXPECT_EQ(text_of(std::nan(""), 1), "nan");
  EXPECT_EQ(text_of(std::int64_t{-7}), "-7");
  EXPECT_EQ(text_of({}), "");
}

TEST(CellText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(text_of(Text(std::string("a\0b", 3))), "a\ufffdb");
  EXPECT_EQ(text_of(Text("gr\u00fc\xff\u00df")), "gr\u00fc\ufffd\u00df");
}

}  // namespace
}  // namespace prof::tables
