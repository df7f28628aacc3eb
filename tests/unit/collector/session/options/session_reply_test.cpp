#include "collector/session/options/session_reply.hpp"

#include <gtest/gtest.h>

namespace prof::session {
namespace {

const SessionFacts kFacts{.clock = spool::SessionClock::tsc(2e9),
                          .chunks = {3, 4},
                          .copies_stacks = true,
                          .sample_period = 0};

TEST(SessionReply, FeaturesThatOptionsSwitchAreSentAsTheyAre) {
  SessionOptions options;
  options.cpu.samples = sampler::Scope::kNone;
  options.python.samples = false;
  EXPECT_EQ(reply_of(options, kFacts).features, options.features);
  options.features |= wire::kFeatureFileAccess | wire::library_feature(2);
  EXPECT_EQ(reply_of(options, kFacts).features, options.features);
}

TEST(SessionReply, ByDefaultPythonIsSampledAndLongCallsHaveCallChains) {
  const SessionOptions options;
  constexpr std::uint32_t kMore = wire::kFeaturePythonSampling | wire::kFeatureOsrtStacks;
  EXPECT_EQ(reply_of(options, kFacts).features, options.features | kMore);
}

TEST(SessionReply, FeaturesThatFollowFromOtherOptions) {
  SessionOptions options;
  options.features = wire::kFeatureOsrt;
  options.ranges.enabled = true;
  options.python.samples = true;
  options.python.annotations = "{}";
  options.call_chains.osrt_depth = 3;
  options.call_chains.cuda_thresholds_ns[1] = 5;
  SessionFacts facts = kFacts;
  facts.sample_period = 9;
  constexpr std::uint32_t kStacks = wire::kFeatureOsrtStacks | wire::kFeatureCudaStacks;
  const std::uint32_t all = wire::kFeatureOsrt | wire::kFeatureCaptureRange |
                            wire::kFeaturePythonSampling | wire::kFeaturePythonAnnotations |
                            wire::kFeatureCpuSampling | kStacks;
  EXPECT_EQ(reply_of(options, facts).features, all);
  facts.copies_stacks = false;
  EXPECT_EQ(reply_of(options, facts).features, all & ~kStacks);
}

TEST(SessionReply, TimesAreInUnitsOfTheClock) {
  SessionOptions options;
  options.osrt_threshold_ns = 10;
  options.call_chains.osrt_threshold_ns = 20;
  options.call_chains.cuda_thresholds_ns[0] = 30;
  const wire::Reply reply = reply_of(options, kFacts);
  EXPECT_EQ(reply.osrt_threshold, 20U);
  EXPECT_EQ(reply.osrt_chain_threshold, 40U);
  EXPECT_EQ(reply.cuda.stack_thresholds[0], 60U);
  EXPECT_EQ(reply.cuda.stack_thresholds[1], ~std::uint64_t{0});
}

TEST(SessionReply, SizesOfStacksAreMultiplesOfEight) {
  SessionOptions options;
  options.call_chains.osrt_stack_bytes = 1003;
  options.cpu.stack_bytes = 2047;
  const wire::Reply reply = reply_of(options, kFacts);
  EXPECT_EQ(reply.osrt_stack_bytes, 1000U);
  EXPECT_EQ(reply.sample_stack_bytes, 2040U);
}

TEST(SessionReply, Texts) {
  SessionOptions options;
  options.nvtx = {wire::NvtxFilter::kExclude, {"a", "bc"}};
  options.cuda.cupti = "/lib/cupti";
  options.ranges.nvtx_range = "step";
  options.ranges.nvtx_domain = std::string(300, 'x');
  const wire::Reply reply = reply_of(options, kFacts);
  EXPECT_EQ(reply.nvtx_filter, wire::NvtxFilter::kExclude);
  EXPECT_EQ(std::string(reply.nvtx_domains, reply.nvtx_domain_bytes), std::string("a\0bc\0", 5));
  EXPECT_STREQ(reply.cuda.cupti, "/lib/cupti");
  EXPECT_STREQ(reply.capture.nvtx_range, "step");
  EXPECT_EQ(std::string(reply.capture.nvtx_domain).size(), sizeof reply.capture.nvtx_domain - 1);
}

}  // namespace
}  // namespace prof::session
