#include "cli/options/program_options.hpp"

#include <gtest/gtest.h>

#include "cli/messages/failure.hpp"
#include "tests/unit/cli/options/parse.hpp"

namespace prof::cli {
namespace {

session::SessionOptions parsed_program(const std::vector<std::string>& words) {
  CLI::App app;
  session::SessionOptions options;
  add_program_options(app, options);
  test::parse(app, words);
  return options;
}

TEST(ProgramOptions, Defaults) {
  const auto options = parsed_program({});
  EXPECT_TRUE(options.inherit_environment && options.show_output);
  EXPECT_TRUE(options.has(wire::kFeatureForks) && options.has(wire::kFeatureRepairEnvironment));
  EXPECT_EQ(options.wait, session::Wait::kAll);
}

TEST(ProgramOptions, Environment) {
  using Variables = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(parsed_program({"--env-var=A=1,B=x\\,y", "--env-var=C=a=b"}).environment,
            (Variables{{"A", "1"}, {"B", "x,y"}, {"C", "a=b"}}));
  EXPECT_THROW(parsed_program({"--env-var=A"}), Failure);
  EXPECT_THROW(parsed_program({"--env-var==1"}), Failure);
}

TEST(ProgramOptions, Choices) {
  EXPECT_FALSE(parsed_program({"--env-policy=respect"}).has(wire::kFeatureRepairEnvironment));
  EXPECT_FALSE(parsed_program({"--trace-fork-before-exec=false"}).has(wire::kFeatureForks));
  EXPECT_EQ(parsed_program({"--wait=primary"}).wait, session::Wait::kPrimary);
  EXPECT_THROW(parsed_program({"--wait=nobody"}), CLI::ValidationError);
}

}  // namespace
}  // namespace prof::cli
