#include "cli/options/call_chain_options.hpp"

#include <gtest/gtest.h>

#include "cli/failure.hpp"

namespace prof::cli {
namespace {

session::SessionOptions parsed(std::vector<std::string> arguments,
                               sampler::Scope samples = sampler::Scope::kNone) {
  CLI::App app;
  BacktraceOptions backtraces;
  backtraces.define(app);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  app.parse(arguments);
  session::SessionOptions options;
  options.trace_cuda = true;
  options.cpu.samples = samples;
  backtraces.apply(options);
  return options;
}

using Thresholds = std::vector<std::optional<std::uint64_t>>;

Thresholds cuda(const std::string& list) {
  const auto options = parsed({"--cudabacktrace=" + list});
  return {std::begin(options.stacks.cuda_thresholds_ns),
          std::end(options.stacks.cuda_thresholds_ns)};
}

TEST(BacktraceOptions, Defaults) {
  const auto options = parsed({});
  EXPECT_FALSE(options.stacks.osrt);
  EXPECT_EQ(options.osrt_chain_threshold_ns, 80'000U);
  EXPECT_EQ(options.stacks.osrt_bytes, 6144U);
  EXPECT_FALSE(options.stacks.cuda());
}

TEST(BacktraceOptions, SamplesBringThoseOfTheOsRuntimeAlong) {
  const auto options = parsed({}, sampler::Scope::kProcessTree);
  EXPECT_TRUE(options.stacks.osrt);
  EXPECT_EQ(options.stacks.osrt_depth, 24U);
  EXPECT_FALSE(parsed({"--osrt-backtrace-depth=0"}, sampler::Scope::kProcessTree).stacks.osrt);
}

TEST(BacktraceOptions, OfTheOsRuntime) {
  const auto options = parsed({"--osrt-backtrace-threshold=5", "--osrt-backtrace-depth=3",
                               "--osrt-backtrace-stack-size=1003"});
  EXPECT_EQ(options.osrt_chain_threshold_ns, 5U);
  EXPECT_EQ(options.stacks.osrt_depth, 3U);
  EXPECT_EQ(options.stacks.osrt_bytes, 1000U);
  EXPECT_FALSE(parsed({"--osrt-backtrace-depth=0"}).stacks.osrt);
  EXPECT_THROW(parsed({"--osrt-backtrace-stack-size=32769"}), CLI::ValidationError);
}

TEST(BacktraceOptions, KindsOfCudaCalls) {
  constexpr std::uint64_t kDefault = 80'000;
  EXPECT_EQ(cuda("all"), (Thresholds{kDefault, kDefault, kDefault, kDefault}));
  EXPECT_EQ(cuda("all:7"), (Thresholds{7, 7, 7, 7}));
  EXPECT_EQ(cuda("kernel:500,sync"), (Thresholds{500, {}, kDefault, {}}));
  EXPECT_EQ(cuda("memory:0,other:9"), (Thresholds{{}, 0, {}, 9}));
  EXPECT_EQ(cuda("none"), Thresholds(4));
}

TEST(BacktraceOptions, WrongListsAreRefused) {
  for (const char* wrong : {"sometimes", "kernel:", "kernel:x", "kernel:5x", "kernel:-1",
                            "none,all", "kernel,,sync", "none:5"})
    EXPECT_THROW(cuda(wrong), Failure) << wrong;
}

TEST(BacktraceOptions, WithoutCudaThereAreNoneOfCuda) {
  CLI::App app;
  BacktraceOptions backtraces;
  backtraces.define(app);
  app.parse(std::vector<std::string>{"--cudabacktrace=all"});
  session::SessionOptions options;
  backtraces.apply(options);
  EXPECT_FALSE(options.stacks.cuda());
  EXPECT_EQ(options.warnings.size(), 1U);
}

}  // namespace
}  // namespace prof::cli
