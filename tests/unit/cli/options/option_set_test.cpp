#include "cli/options/option_set.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "cli/options/arguments.hpp"

namespace prof::cli {
namespace {

using Words = std::vector<std::string>;

// -o is frequent. --delay is rare, and an option of nsys that other verbs do not have.
class OptionSetTest : public ::testing::Test {
 protected:
  OptionSetTest() {
    app_.emplace();
    define_frequent();
  }
  void define_frequent() { app_->add_option("-o,--output", output_); }
  void define_all() {
    ++times_;
    app_.emplace();
    app_->add_option("--delay,-y", delay_);
    define_frequent();
  }

  std::optional<CLI::App> app_;
  std::string output_, delay_;
  int times_ = 0;
  OptionSet options_{*app_, [this] { define_all(); }};
};

TEST_F(OptionSetTest, FrequentOptionsAreFoundWithoutTheOthers) {
  EXPECT_NE(options_.find("--output"), nullptr);
  EXPECT_NE(options_.find("-o"), nullptr);
  EXPECT_EQ(times_, 0);
}

TEST_F(OptionSetTest, OtherNamesHaveAllDefinedOnce) {
  EXPECT_NE(options_.find("--delay"), nullptr);
  EXPECT_EQ(options_.find("--unknown"), nullptr);
  EXPECT_NE(options_.find("--output"), nullptr);
  EXPECT_EQ(times_, 1);
}

TEST_F(OptionSetTest, NamesAreThoseOfAllOptions) {
  EXPECT_EQ(options_.names(), (Words{"--help", "--delay", "--output"}));
  EXPECT_EQ(times_, 1);
}

TEST_F(OptionSetTest, WordsAreSplitAsWithAllOptions) {
  const Words words{"-o", "--strange", "-y", "1", "command"};
  EXPECT_EQ(split_arguments(options_, words, true).options,
            (Words{"--output=--strange", "--delay=1"}));
  EXPECT_EQ(split_arguments(options_, words, true).command, Words{"command"});
  EXPECT_EQ(times_, 1);
}

TEST_F(OptionSetTest, AWholeAppHasNothingToDefine) {
  OptionSet whole(*app_);
  EXPECT_EQ(whole.find("--delay"), nullptr);
  EXPECT_EQ(whole.names(), (Words{"--help", "--output"}));
}

}  // namespace
}  // namespace prof::cli
