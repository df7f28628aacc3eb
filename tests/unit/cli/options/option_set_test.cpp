#include "cli/options/option_set.hpp"

#include <gtest/gtest.h>

#include "cli/options/arguments.hpp"

namespace prof::cli {
namespace {

using Words = std::vector<std::string>;

// -o is frequent. --late and --later are rare.
class OptionSetTest : public ::testing::Test {
 protected:
  OptionSetTest() { app_.add_option("-o,--output", output_); }
  void define(const char* name) {
    ++times_;
    app_.add_option(name, rare_);
  }

  CLI::App app_;
  std::string output_, rare_;
  int times_ = 0;
  OptionSet options_{app_, {[this] { define("--late,-l"); }, [this] { define("--later"); }}};
};

TEST_F(OptionSetTest, FrequentOptionsAreFoundWithoutTheOthers) {
  EXPECT_NE(options_.find("--output"), nullptr);
  EXPECT_NE(options_.find("-o"), nullptr);
  EXPECT_EQ(times_, 0);
}

TEST_F(OptionSetTest, GroupsAreDefinedUntilTheNameIsFound) {
  const CLI::Option* late = options_.find("-l");
  EXPECT_NE(late, nullptr);
  EXPECT_EQ(times_, 1);
  EXPECT_EQ(options_.find("--unknown"), nullptr);
  EXPECT_NE(options_.find("--later"), nullptr);
  EXPECT_EQ(options_.find("--late"), late);
  EXPECT_EQ(times_, 2);
}

TEST_F(OptionSetTest, NamesAreThoseOfAllOptions) {
  EXPECT_EQ(options_.names(), (Words{"--help", "--output", "--late", "--later"}));
  EXPECT_EQ(times_, 2);
}

TEST_F(OptionSetTest, WordsAreSplitAsWithAllOptions) {
  const Words words{"-o", "--strange", "-l", "1", "command"};
  EXPECT_EQ(split_arguments(options_, "profile", words, true).options,
            (Words{"--output=--strange", "--late=1"}));
  EXPECT_EQ(split_arguments(options_, "profile", words, true).command, Words{"command"});
  EXPECT_EQ(times_, 1);
}

TEST_F(OptionSetTest, AWholeAppHasNothingToDefine) {
  OptionSet whole(app_);
  EXPECT_EQ(whole.find("--late"), nullptr);
  EXPECT_EQ(whole.names(), (Words{"--help", "--output"}));
}

}  // namespace
}  // namespace prof::cli
