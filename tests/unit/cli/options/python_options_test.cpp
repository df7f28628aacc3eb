#include "cli/options/python_options.hpp"

#include <gtest/gtest.h>

#include "cli/messages/failure.hpp"
#include "tests/unit/cli/options/parse.hpp"

namespace prof::cli {
namespace {

constexpr std::uint32_t kBoth = wire::kFeaturePythonCuda | wire::kFeaturePythonOsrt;

session::SessionOptions parsed_python(const std::vector<std::string>& words) {
  CLI::App app;
  session::SessionOptions options;
  options.features = 0;
  add_python_options(app, options);
  test::parse(app, words);
  resolve_python_ranges(options);
  resolve_python_call_chains(options);
  return options;
}

TEST(PythonOptions, CallChains) {
  EXPECT_EQ(parsed_python({}).features, 0U);
  EXPECT_EQ(parsed_python({"--python-backtrace=none"}).features, 0U);
  EXPECT_EQ(parsed_python({"--python-backtrace=osrt"}).features, wire::kFeaturePythonOsrt);
  EXPECT_EQ(parsed_python({"--python-backtrace=cuda,osrt"}).features, kBoth);
  for (const char* wrong : {"nvtx", "none,cuda", "cuda,,osrt"})
    EXPECT_THROW(parsed_python({std::string("--python-backtrace=") + wrong}), Failure) << wrong;
}

TEST(PythonOptions, WarnsAboutCallsThatAreNotTraced) {
  EXPECT_EQ(parsed_python({"--python-backtrace=cuda,osrt"}).warnings.size(), 2U);
}

TEST(PythonOptions, Samples) {
  const auto python = [](const std::vector<std::string>& words) {
    return parsed_python(words).python;
  };
  EXPECT_EQ(python({"--python-sampling=false"}).samples_per_second(), 0U);
  EXPECT_EQ(python({"--python-sampling-frequency=7"}).samples_per_second(), 7U);
  EXPECT_FALSE(python({}).samples_chosen);
  EXPECT_FALSE(python({"--python-sampling=auto"}).samples_chosen);
  EXPECT_EQ(python({"--python-sampling=auto"}).samples_per_second(), 250U);
  EXPECT_TRUE(python({"--python-sampling=true"}).samples_chosen);
  EXPECT_EQ(python({"--python-sampling=true"}).samples_per_second(), 1000U);
  EXPECT_THROW(python({"--python-sampling=maybe"}), CLI::ValidationError);
}

TEST(PythonOptions, RangesOfPytorchNeedNvtx) {
  EXPECT_TRUE(parsed_python({"--pytorch=autograd-nvtx"}).has(wire::kFeatureNvtx));
  EXPECT_FALSE(parsed_python({"--pytorch=functions-trace"}).has(wire::kFeatureNvtx));
  EXPECT_FALSE(parsed_python({"--pytorch=functions-trace"}).python.annotations.empty());
}

}  // namespace
}  // namespace prof::cli
