#include "injection/cuda/kernels/selection/range_pattern.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/wire/hash.hpp"

namespace prof::cuda::kernels {
namespace {

// `open`: the names of open ranges, a letter each, the outermost first.
bool is_inside(const char* line, const std::string& open) {
  RangePattern pattern{};
  EXPECT_TRUE(parse_pattern(line, pattern)) << line;
  std::vector<std::uint64_t> ranges;
  for (const char& name : open) ranges.push_back(wire::hash_text(&name, 1));
  return matches(pattern, ranges.data(), ranges.size());
}

TEST(RangePatternTest, ARangeMayBeAnywhereUnlessItsPlaceIsGiven) {
  EXPECT_TRUE(is_inside("\t-\t=A", "XAY"));
  EXPECT_FALSE(is_inside("\t-\t=A", "XY"));
  EXPECT_FALSE(is_inside("\t-\t=A", ""));
  EXPECT_TRUE(is_inside("\t[\t=A", "AX"));
  EXPECT_FALSE(is_inside("\t[\t=A", "XA"));
  EXPECT_TRUE(is_inside("\t]\t=A", "XA"));
  EXPECT_FALSE(is_inside("\t]\t=A", "AX"));
  EXPECT_TRUE(is_inside("\t[]\t=A", "A"));
  EXPECT_FALSE(is_inside("\t[]\t=A", "AA"));
}

TEST(RangePatternTest, RangesFollowEachOther) {
  EXPECT_TRUE(is_inside("\t-\t=A\t=B", "XABY"));
  EXPECT_FALSE(is_inside("\t-\t=A\t=B", "AXB"));
  EXPECT_TRUE(is_inside("\t-\t=A\t+\t=B", "AXB"));
  EXPECT_FALSE(is_inside("\t-\t=A\t+\t=B", "AB"));
  EXPECT_TRUE(is_inside("\t-\t=A\t*\t=B", "AB"));
  EXPECT_TRUE(is_inside("\t-\t=A\t*\t=B", "AXYB"));
  EXPECT_FALSE(is_inside("\t-\t=A\t*\t=B", "BA"));
  EXPECT_TRUE(is_inside("\t[]\t=A\t*", "AXY"));
}

TEST(RangePatternTest, DomainsAreHashed) {
  RangePattern pattern{};
  ASSERT_TRUE(parse_pattern("mine\t-\t=A", pattern));
  EXPECT_EQ(pattern.domain, wire::hash_text("mine", 4));
  RangePattern other{};
  ASSERT_TRUE(parse_pattern("\t-\t=A", other));
  EXPECT_EQ(other.domain, 0U);
}

TEST(RangePatternTest, WrongLinesAreRefused) {
  std::string many = "\t-";
  for (int i = 0; i < 17; ++i) many += "\t=A";
  for (const std::string& line :
       {std::string("mine"), std::string("mine\t-"), std::string("\t-\t"), many}) {
    RangePattern pattern{};
    EXPECT_FALSE(parse_pattern(line.c_str(), pattern)) << line;
  }
}

}  // namespace
}  // namespace prof::cuda::kernels
