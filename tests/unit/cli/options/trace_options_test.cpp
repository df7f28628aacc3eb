#include "cli/options/trace_options.hpp"

#include <gtest/gtest.h>

#include "cli/messages/failure.hpp"

namespace prof::cli {
namespace {

session::SessionOptions parsed(const char* list) {
  session::SessionOptions options;
  parse_traces(list, options);
  return options;
}

TEST(TraceOptions, Lists) {
  const auto some = parsed("nvtx,osrt");
  EXPECT_TRUE(some.has(wire::kFeatureNvtx) && some.has(wire::kFeatureOsrt));
  EXPECT_FALSE(some.has(wire::kFeatureCuda));
  EXPECT_FALSE(some.trace_system_calls);
  EXPECT_TRUE(parsed("syscall").trace_system_calls);
  const auto none = parsed("none");
  EXPECT_FALSE(none.has(wire::kFeatureNvtx | wire::kFeatureOsrt | wire::kFeatureCuda));
}

TEST(TraceOptions, OtherFeaturesStay) {
  session::SessionOptions options;
  options.features = wire::kFeatureForks | wire::kFeaturePythonOsrt;
  parse_traces("osrt", options);
  EXPECT_EQ(options.features, wire::kFeatureForks | wire::kFeaturePythonOsrt | wire::kFeatureOsrt);
}

TEST(TraceOptions, CudaHardwareTrace) {
  const auto chosen = parsed("cuda");
  EXPECT_TRUE(chosen.cuda.has(wire::kCudaHardwareTrace));
  EXPECT_FALSE(chosen.cuda.has(wire::kCudaHardwareForced));
  const auto forced = parsed("cuda-hw");
  EXPECT_TRUE(forced.has(wire::kFeatureCuda) && forced.cuda.has(wire::kCudaHardwareForced));
}

TEST(TraceOptions, Libraries) {
  const auto bits = [](const char* list) {
    std::uint32_t found = 0;
    for (std::uint32_t library = 0; library < wire::kLibraries; ++library)
      if (parsed(list).has(wire::library_feature(library))) found |= 1U << library;
    return found;
  };
  EXPECT_EQ(bits("cuda,nvtx,osrt"), 0U);
  EXPECT_EQ(bits("openmp,openacc"), 192U);
  EXPECT_EQ(bits("cublas"), 1U);
  EXPECT_EQ(bits("cublas,cudnn,cusolver,cusparse,nccl"), 31U);
  EXPECT_EQ(bits("mpi"), 32U);
  EXPECT_EQ(bits("opengl"), 256U);
  EXPECT_EQ(bits("ucx,oshmem"), 512U + 1024U);
  EXPECT_EQ(bits("cublas-verbose,cusolver-verbose,cusparse-verbose"),
            bits("cublas,cusolver,cusparse"));
}

TEST(TraceOptions, Vulkan) {
  const auto bits = [](const char* list) {
    return parsed(list).graphics & (wire::kGraphicsVulkan | wire::kGraphicsVulkanLabels);
  };
  EXPECT_EQ(bits("cuda,nvtx"), 0U);
  EXPECT_EQ(bits("vulkan"), wire::kGraphicsVulkan);
  EXPECT_EQ(bits("vulkan-annotations"), wire::kGraphicsVulkan | wire::kGraphicsVulkanLabels);
}

TEST(TraceOptions, AnnotationsOfOpenGl) {
  EXPECT_EQ(parsed("opengl").graphics & wire::kGraphicsOpenGlGroups, 0U);
  const auto options = parsed("opengl-annotations");
  EXPECT_NE(options.graphics & wire::kGraphicsOpenGlGroups, 0U);
  EXPECT_TRUE(
      options.has(wire::library_feature(static_cast<std::uint32_t>(wire::Library::kOpenGl))));
}

TEST(TraceOptions, TypingErrorsAreRefused) {
  EXPECT_THROW(parsed("cudn"), Failure);
  EXPECT_THROW(parsed("osrtt"), Failure);
  EXPECT_THROW(parsed("nvtx,,osrt"), Failure);
}

TEST(TraceOptions, WhatProfDoesNotRecordIsSaidInOneLine) {
  const auto some = parsed("cuda, gds,osrt ,opengl,s3,dx12");
  EXPECT_TRUE(some.has(wire::kFeatureCuda) && some.has(wire::kFeatureOsrt));
  EXPECT_EQ(some.warnings, std::vector<std::string>{"--trace=gds,s3,dx12: not recorded"});
  EXPECT_EQ(parsed("osrt,zzzzzzzz").warnings.at(0), "--trace=zzzzzzzz: not recorded");
}

TEST(TraceOptions, CudaBySoftwareWinsOverHardware) {
  for (const char* list : {"cuda-sw", "cuda-sw,cuda-hw", "cuda-hw,cuda-sw"}) {
    const auto options = parsed(list);
    EXPECT_TRUE(options.has(wire::kFeatureCuda)) << list;
    EXPECT_FALSE(options.cuda.has(wire::kCudaHardwareTrace | wire::kCudaHardwareForced)) << list;
  }
}

}  // namespace
}  // namespace prof::cli
