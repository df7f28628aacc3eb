#include "cli/options/capture_range_options.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <tuple>

#include "cli/messages/failure.hpp"

namespace prof::cli {
namespace {

session::CaptureRangeOptions resolved(const CaptureRangeWords& words) {
  session::SessionOptions options;
  resolve_capture_ranges(words, options);
  return options.ranges;
}

TEST(CaptureRangeOptions, WithoutARangeTheEndDoesNotCount) {
  const auto ranges = resolved({.end = "repeat"});
  EXPECT_FALSE(ranges.enabled || ranges.numbered);
  EXPECT_EQ(ranges.kill_signal, SIGTERM);
}

TEST(CaptureRangeOptions, Ends) {
  const auto end = [](const char* word) {
    return resolved({.range = "cudaProfilerApi", .end = word});
  };
  EXPECT_TRUE(end("stop").cuda_profiler_api);
  EXPECT_EQ(end("stop").count, 1U);
  EXPECT_FALSE(end("stop").shutdown);
  EXPECT_TRUE(end("stop-shutdown").shutdown);
  EXPECT_TRUE(end("none").open_ended);
  EXPECT_EQ(end("repeat").count, 0xffffffffU);
  EXPECT_EQ(end("repeat:3").count, 3U);
  EXPECT_TRUE(end("repeat:3").numbered);
  EXPECT_TRUE(end("repeat-shutdown:2").shutdown);
  for (const char* wrong : {"", "repeat:", "repeat:0", "repeat:x", "never"})
    EXPECT_THROW(end(wrong), Failure) << wrong;
}

TEST(CaptureRangeOptions, NvtxRangesAndDomains) {
  const auto nvtx = [](std::string words) {
    const auto ranges = resolved({.range = "nvtx", .nvtx = std::move(words)});
    return std::pair(ranges.nvtx_range, ranges.nvtx_domain);
  };
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(nvtx("step"), Pair("step", ""));
  EXPECT_EQ(nvtx("step@mine"), Pair("step", "mine"));
  EXPECT_EQ(nvtx("a@b@*"), Pair("a@b", "*"));
  EXPECT_THROW(nvtx(std::string(256, 'x')), Failure);
  EXPECT_NO_THROW(nvtx(std::string(255, 'x')));
}

TEST(CaptureRangeOptions, ModesOfWritingAreNsyss) {
  const auto end = [](const char* word) {
    session::SessionOptions options;
    resolve_capture_ranges({.range = "cudaProfilerApi", .end = word}, options);
    return std::tuple(options.ranges.count, options.ranges.shutdown, options.warnings.size());
  };
  EXPECT_EQ(end("repeat:defer"), std::tuple(0xffffffffU, false, 0U));
  EXPECT_EQ(end("repeat:3:sync"), std::tuple(3U, false, 1U));
  EXPECT_EQ(end("repeat-shutdown:2:async"), std::tuple(2U, true, 1U));
  for (const char* wrong : {"stop:sync", "repeat:never", "repeat:sync:2"})
    EXPECT_THROW(end(wrong), Failure) << wrong;
}

TEST(CaptureRangeOptions, WhatTheRangeNeedsIsTraced) {
  session::SessionOptions options;
  options.features = 0;
  resolve_capture_ranges({.range = "cudaProfilerApi"}, options);
  EXPECT_TRUE(options.has(wire::kFeatureCuda) && !options.has(wire::kFeatureNvtx));
  resolve_capture_ranges({.range = "nvtx", .nvtx = "step"}, options);
  EXPECT_TRUE(options.has(wire::kFeatureNvtx));
  EXPECT_EQ(options.warnings.size(), 2U);
}

TEST(CaptureRangeOptions, WithoutWhatARangeIsEverythingIsRecorded) {
  for (const CaptureRangeWords& words :
       {CaptureRangeWords{.range = "nvtx"}, CaptureRangeWords{.nvtx = "step"},
        CaptureRangeWords{.range = "hotkey"}}) {
    session::SessionOptions options;
    resolve_capture_ranges(words, options);
    EXPECT_FALSE(options.ranges.enabled);
    EXPECT_EQ(options.warnings.size(), 1U);
  }
}

TEST(CaptureRangeOptions, ShutdownOfACollectionLeavesTheSession) {
  session::SessionOptions options;
  resolve_started_range({.range = "cudaProfilerApi", .end = "repeat-shutdown:2"}, options);
  EXPECT_EQ(options.ranges.count, 2U);
  EXPECT_FALSE(options.ranges.shutdown);
  EXPECT_EQ(options.warnings.size(), 1U);
}

TEST(CaptureRangeOptions, Signals) {
  EXPECT_EQ(resolved({.kill = "none"}).kill_signal, 0);
  EXPECT_EQ(resolved({.kill = "false"}).kill_signal, 0);
  EXPECT_EQ(resolved({.kill = "true"}).kill_signal, SIGTERM);
  for (const char* word : {"sigkill", "KILL", "9"})
    EXPECT_EQ(resolved({.kill = word}).kill_signal, SIGKILL) << word;
  EXPECT_THROW(resolved({.kill = "sigfoo"}), Failure);
}

}  // namespace
}  // namespace prof::cli
