#include "cli/options/capture_range_options.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

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

session::CaptureRangeOptions at_step(const std::string& steps, const char* end = nullptr) {
  CaptureRangeWords words{.at_step = steps, .step_range = "step"};
  words.is_end_given = end != nullptr;
  if (end != nullptr) words.end = end;
  return resolved(words);
}

TEST(CaptureRangeOptions, WindowsOfSteps) {
  const auto ranges = at_step("0,10:5,20:1");
  EXPECT_TRUE(ranges.enabled && ranges.by_nvtx);
  EXPECT_EQ(ranges.nvtx_range, "step");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> windows;
  for (const wire::StepWindow& window : ranges.windows)
    windows.emplace_back(window.first, window.last);
  EXPECT_EQ(windows, (decltype(windows){{0, 0}, {10, 14}, {20, 20}}));
  EXPECT_EQ(ranges.count, 3U);
  for (const char* wrong :
       {",", "x", "1:", "1:0", "5,5", "5:3,7", "9,1", "-1", "1:2:3", "18446744073709551615:2",
        "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32"})
    EXPECT_THROW(at_step(wrong), Failure) << wrong;
}

TEST(CaptureRangeOptions, EndsOfWindowsOfSteps) {
  EXPECT_FALSE(at_step("1:3").numbered || at_step("1,3").shutdown);
  EXPECT_TRUE(at_step("1,3").numbered && at_step("1", "repeat").numbered);
  EXPECT_EQ(at_step("1,3,5", "repeat:2").windows.size(), 2U);
  EXPECT_TRUE(at_step("1", "stop-shutdown").shutdown);
  EXPECT_TRUE(at_step("1,3", "none").open_ended);
  EXPECT_EQ(at_step("1,3", "none").count, 1U);
  EXPECT_THROW(resolved({.range = "nvtx", .nvtx = "x", .at_step = "1"}), Failure);
}

TEST(CaptureRangeOptions, WithoutARangeOptimizerStepsCount) {
  session::SessionOptions options;
  resolve_capture_ranges({.at_step = "3"}, options);
  EXPECT_TRUE(options.python.marks_steps && options.has(wire::kFeatureNvtx));
  EXPECT_EQ(options.ranges.nvtx_range + "@" + options.ranges.nvtx_domain, "step@PyTorch steps");
}

}  // namespace
}  // namespace prof::cli
