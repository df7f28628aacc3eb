#include "exporters/analysis/claims/answer_text.hpp"

#include <gtest/gtest.h>

namespace prof::claims {

namespace {

WrittenNumber only(std::string_view sentence) {
  const auto numbers = numbers_of(sentence);
  EXPECT_EQ(numbers.size(), 1U) << sentence;
  return numbers.empty() ? WrittenNumber{} : numbers.front();
}

}  // namespace

TEST(AnswerText, NumbersHaveUnitsAndTheirRounding) {
  const WrittenNumber time = only("it takes 20.5 ms");
  EXPECT_EQ(time.measure, Measure::kTime);
  EXPECT_NEAR(time.low, 20.45e6, 1);
  EXPECT_NEAR(time.high, 20.55e6, 1);
  EXPECT_NEAR(only("3 s").high, 3.5e9, 1);
  EXPECT_EQ(only("1,234,567 calls").low, 1'234'567);
  EXPECT_EQ(only("1,234,567 calls").high, 1'234'567);
  EXPECT_EQ(only("58 %").measure, Measure::kShare);
  EXPECT_NEAR(only("58%").low, 0.575, 1e-9);
  EXPECT_EQ(only("7\u00a0\u00b5s").measure, Measure::kTime);
  EXPECT_EQ(only("8 GiB").measure, Measure::kBytes);
}

TEST(AnswerText, OtherNumbersAreNone) {
  for (const std::string_view text :
       {"128x64", "version 3.5", "-O2", "2026-11-30", "step 7", "3 smiles", "12 GB/s", ""})
    EXPECT_TRUE(numbers_of(text).empty()) << text;
}

TEST(AnswerText, WordsAroundCount) {
  EXPECT_EQ(only("a median of 3 ms").quantity, "median");
  EXPECT_EQ(only("3 ms in total").quantity, "total");
  EXPECT_EQ(only("more than 3 ms").bound, WrittenNumber::Bound::kAtLeast);
  EXPECT_EQ(only("up to 3 ms").bound, WrittenNumber::Bound::kAtMost);
  EXPECT_NEAR(only("about 100 ms").low, 90e6, 1);
  EXPECT_TRUE(only("at 3 s").is_loose);
  EXPECT_FALSE(only("takes 3 s").is_loose);
  const auto both = numbers_of("3 ms in total, with a median of 1 ms");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].quantity, "median");
}

TEST(AnswerText, SentencesHaveLinesAndNoCode) {
  const auto found = sentences_of(
      "# Title\n\nOne. Two\ncontinues; three\n\n```\ncode 3 ms\n```\n- item\n| a | b |\n");
  ASSERT_EQ(found.size(), 6U);
  EXPECT_EQ(found[0].text, "# Title");
  EXPECT_EQ(found[2].text, " Two continues;");
  EXPECT_EQ(found[3].line, 3U);
  EXPECT_EQ(found[4].line, 9U);
  EXPECT_EQ(found[5].text, "| a | b |");
}

}  // namespace prof::claims
