#include "common/base/proc_file.hpp"

#include <gtest/gtest.h>

namespace prof::base {
namespace {

TEST(StatField, TakesFieldsAfterTheName) {
  constexpr std::string_view kStat = "12 (a) b (c) S 1 -7 42\n";
  EXPECT_EQ(stat_field(kStat, 3), "S");
  EXPECT_EQ(stat_field(kStat, 4), "1");
  EXPECT_EQ(stat_field(kStat, 5), "-7");
  EXPECT_EQ(stat_field(kStat, 6), "42");
}

TEST(StatField, IsEmptyIfThereIsNone) {
  EXPECT_EQ(stat_field("12 (a) S 1\n", 5), "");
  EXPECT_EQ(stat_field("12 (a) S 1\n", 51), "");
  EXPECT_EQ(stat_field("12 (a) ", 3), "");
  EXPECT_EQ(stat_field("12 (a", 3), "");
  EXPECT_EQ(stat_field("", 22), "");
}

}  // namespace
}  // namespace prof::base
