#include "cli/options/call_chain_options.hpp"

#include <gtest/gtest.h>

#include "cli/messages/failure.hpp"
#include "tests/unit/cli/options/parse.hpp"

namespace prof::cli {
namespace {

session::SessionOptions parsed(const std::vector<std::string>& words,
                               sampler::Scope samples = sampler::Scope::kNone) {
  CLI::App app;
  session::SessionOptions options;
  options.cpu.samples = samples;
  add_call_chain_options(app, options.call_chains);
  test::parse(app, words);
  resolve_call_chains(options);
  return options;
}

using Thresholds = std::vector<std::optional<std::uint64_t>>;

Thresholds cuda(const std::string& list) {
  const auto chains = parsed({"--cudabacktrace=" + list}).call_chains;
  return {std::begin(chains.cuda_thresholds_ns), std::end(chains.cuda_thresholds_ns)};
}

TEST(CallChainOptions, Defaults) {
  const auto options = parsed({});
  EXPECT_FALSE(options.has_native_call_chains());
  EXPECT_EQ(options.call_chains.osrt_threshold_ns, 80'000U);
  EXPECT_EQ(options.call_chains.osrt_stack_bytes, 6144U);
}

TEST(CallChainOptions, SamplesSwitchThoseOfTheOsRuntimeOn) {
  auto options = parsed({}, sampler::Scope::kProcessTree);
  EXPECT_EQ(options.osrt_chain_depth(), 24U);
  options.features &= ~wire::kFeatureOsrt;
  EXPECT_EQ(options.osrt_chain_depth(), 0U);
  EXPECT_EQ(parsed({"--osrt-backtrace-depth=0"}, sampler::Scope::kProcessTree).osrt_chain_depth(),
            0U);
}

TEST(CallChainOptions, AreChosenByTheirOptionsOrWithSamples) {
  session::SessionOptions options = parsed({}, sampler::Scope::kProcessTree);
  EXPECT_TRUE(options.has_native_call_chains());
  EXPECT_FALSE(options.native_call_chains_chosen());
  options.cpu.samples_chosen = true;
  EXPECT_TRUE(options.native_call_chains_chosen());
  options.cpu.samples = sampler::Scope::kNone;
  EXPECT_FALSE(options.native_call_chains_chosen());
  EXPECT_TRUE(parsed({"--osrt-backtrace-depth=3"}).native_call_chains_chosen());
  EXPECT_FALSE(parsed({"--osrt-backtrace-depth=0"}).native_call_chains_chosen());
  EXPECT_TRUE(parsed({"--cudabacktrace=all"}).native_call_chains_chosen());
}

TEST(CallChainOptions, OfTheOsRuntime) {
  const auto options = parsed({"--osrt-backtrace-threshold=5", "--osrt-backtrace-depth=3",
                               "--osrt-backtrace-stack-size=1003"});
  EXPECT_EQ(options.call_chains.osrt_threshold_ns, 5U);
  EXPECT_EQ(options.osrt_chain_depth(), 3U);
  EXPECT_EQ(options.call_chains.osrt_stack_bytes, 1003U);
  EXPECT_EQ(parsed({"--osrt-backtrace-depth=0"}).osrt_chain_depth(), 0U);
  EXPECT_THROW(parsed({"--osrt-backtrace-stack-size=32769"}), CLI::ValidationError);
}

TEST(CallChainOptions, KindsOfCudaCalls) {
  constexpr std::uint64_t kDefault = 80'000;
  EXPECT_EQ(cuda("all"), (Thresholds{kDefault, kDefault, kDefault, kDefault}));
  EXPECT_EQ(cuda("all:7"), (Thresholds{7, 7, 7, 7}));
  EXPECT_EQ(cuda("kernel:500,sync"), (Thresholds{500, {}, kDefault, {}}));
  EXPECT_EQ(cuda("memory:0,other:9"), (Thresholds{{}, 0, {}, 9}));
  EXPECT_EQ(cuda("none"), Thresholds(4));
}

TEST(CallChainOptions, WrongListsAreRefused) {
  for (const char* wrong : {"sometimes", "kernel:", "kernel:x", "kernel:5x", "kernel:-1",
                            "none,all", "kernel,,sync", "none:5"})
    EXPECT_THROW(cuda(wrong), Failure) << wrong;
}

TEST(CallChainOptions, WithoutCudaThereAreNoneOfCuda) {
  CLI::App app;
  session::SessionOptions options;
  options.features &= ~wire::kFeatureCuda;
  add_call_chain_options(app, options.call_chains);
  test::parse(app, {"--cudabacktrace=all"});
  resolve_call_chains(options);
  EXPECT_FALSE(options.call_chains.cuda());
  EXPECT_EQ(options.warnings.size(), 1U);
}

}  // namespace
}  // namespace prof::cli
