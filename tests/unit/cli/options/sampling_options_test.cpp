#include "cli/options/sampling_options.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cli/options/parse.hpp"

namespace prof::cli {
namespace {

using sampler::Scope;
using Words = std::vector<std::string>;

session::SamplingOptions parsed_sampling(const Words& words) {
  CLI::App app;
  session::SessionOptions options;
  add_sampling_options(app, options.cpu);
  test::parse(app, words);
  resolve_sampling(options);
  return options.cpu;
}

TEST(SamplingOptions, OnByDefaultButNotChosen) {
  const auto options = parsed_sampling({});
  EXPECT_EQ(options.samples, Scope::kProcessTree);
  EXPECT_EQ(options.switches, Scope::kProcessTree);
  EXPECT_EQ(options.scope_word, "process-tree");
  EXPECT_FALSE(options.samples_chosen);
  EXPECT_FALSE(options.switches_chosen);
}

TEST(SamplingOptions, SwitchesFollowSamplesAsInNsys) {
  EXPECT_EQ(parsed_sampling({"--sample=system-wide"}).switches, Scope::kSystem);
  EXPECT_EQ(parsed_sampling({"--sample=none"}).switches, Scope::kProcessTree);
  EXPECT_EQ(parsed_sampling({"--sample=system-wide", "--cpuctxsw=none"}).switches, Scope::kNone);
  EXPECT_FALSE(parsed_sampling({"--sample=none", "--cpuctxsw=none"}).is_any());
}

TEST(SamplingOptions, FewerByDefault) {
  EXPECT_EQ(parsed_sampling({}).frequency, 250U);
  EXPECT_EQ(parsed_sampling({"--sample=process-tree"}).frequency, 1000U);
  EXPECT_EQ(parsed_sampling({"--sampling-frequency=70"}).frequency, 70U);
  EXPECT_EQ(parsed_sampling({"--sample=cpu", "--sampling-frequency=70"}).frequency, 70U);
}

TEST(SamplingOptions, AreChosenByScopeOrMethod) {
  for (const char* word : {"--sample=cpu", "--sampling-method=auto", "--sampling-method=timer"})
    EXPECT_TRUE(parsed_sampling({word}).samples_chosen) << word;
  EXPECT_FALSE(parsed_sampling({"--sampling-frequency=50"}).samples_chosen);
  EXPECT_TRUE(parsed_sampling({"--cpuctxsw=process-tree"}).switches_chosen);
}

}  // namespace
}  // namespace prof::cli
