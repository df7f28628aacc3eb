#include "cli/options/option_kinds.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cli/options/parse.hpp"

namespace prof::cli {
namespace {

constexpr std::uint32_t kLow = 1;
constexpr std::uint32_t kHigh = 2;
constexpr std::uint32_t kOther = 4;

TEST(OptionKinds, ABoolIsABitOrAField) {
  bool field = true;
  std::uint32_t bits = kOther;
  CLI::App app;
  EXPECT_EQ(add_bool(app, "--field", field, "")->get_default_str(), "true");
  EXPECT_EQ(add_bool(app, "--bit", bits, kLow, "")->get_default_str(), "false");
  test::parse(app, {"--field=false", "--bit=true"});
  EXPECT_FALSE(field);
  EXPECT_EQ(bits, kOther | kLow);
  test::parse(app, {"--bit=false"});
  EXPECT_EQ(bits, kOther);
  EXPECT_THROW(test::parse(app, {"--bit=yes"}), CLI::ValidationError);
}

TEST(OptionKinds, AChoiceSetsItsValueAlone) {
  int number = 7;
  std::uint32_t bits = kOther | kLow;
  CLI::App app;
  add_choice(app, "--number", number, {{"six", 6}, {"seven", 7}}, "");
  add_choice(app, "--bits", bits, kLow | kHigh, {{"low", kLow}, {"high", kHigh}, {"no", 0}}, "");
  EXPECT_EQ(app.get_option("--number")->get_default_str(), "seven");
  EXPECT_EQ(app.get_option("--bits")->get_default_str(), "low");
  test::parse(app, {"--number=six", "--bits=high"});
  EXPECT_EQ(number, 6);
  EXPECT_EQ(bits, kOther | kHigh);
  EXPECT_THROW(test::parse(app, {"--bits=both"}), CLI::ValidationError);
}

}  // namespace
}  // namespace prof::cli
