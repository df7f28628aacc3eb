#include "exporters/analysis/analyze/arguments.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::analyze {
namespace {

constexpr Argument kAllowed[] = {kRows, kGap};

std::string error_of(std::string_view words) {
  const auto arguments = parse_arguments(words, kAllowed);
  return arguments ? "" : arguments.error().message;
}

TEST(AnalyzeArguments, DefaultsAreNsyss) {
  const auto none = parse_arguments("", kAllowed);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->rows, 50);
  EXPECT_EQ(none->gap, 500);
  EXPECT_EQ(none->threshold, 50);
  EXPECT_EQ(none->chunks, 30);
}

TEST(AnalyzeArguments, InAnyOrder) {
  for (const char* words : {"rows=-1:gap=20", "gap=20:rows=-1", "gap=20:rows=-1:"}) {
    const auto arguments = parse_arguments(words, kAllowed);
    ASSERT_TRUE(arguments) << words;
    EXPECT_EQ(arguments->rows, -1);
    EXPECT_EQ(arguments->gap, 20);
  }
}

TEST(AnalyzeArguments, UnknownOnesAreNamedWithTheAllowed) {
  EXPECT_EQ(error_of("rows=1:chunks=3"), "unknown argument chunks (allowed: rows=, gap=)");
}

TEST(AnalyzeArguments, ValuesAreWholeNumbersInARange) {
  for (const char* words :
       {"gap", "gap=", "gap=-1", "gap=1.5", "gap=1s", "gap=1000000001", "gap=99999999999999999999"})
    EXPECT_EQ(error_of(words), std::string("argument ") + words +
                                   ": gap= takes a whole number from 0 to 1000000000");
}

}  // namespace
}  // namespace prof::analyze
