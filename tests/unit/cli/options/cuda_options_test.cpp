#include "cli/options/cuda_options.hpp"

#include <gtest/gtest.h>

#include "cli/messages/failure.hpp"
#include "tests/unit/cli/options/parse.hpp"

namespace prof::cli {
namespace {

session::SessionOptions parsed_session(const std::vector<std::string>& words) {
  CLI::App app;
  session::SessionOptions options;
  add_cuda_options(app, options);
  test::parse(app, words);
  return options;
}

session::CudaOptions parsed_cuda(const std::vector<std::string>& words) {
  return parsed_session(words).cuda;
}

TEST(CudaOptions, Defaults) {
  EXPECT_EQ(parsed_cuda({}).flags,
            wire::kCudaEvents | wire::kCudaFlushOnProfilerStop | wire::kCudaHardwareTrace);
}

TEST(CudaOptions, EachIsAFlag) {
  EXPECT_TRUE(parsed_cuda({"--cuda-memory-usage=true"}).has(wire::kCudaMemoryUsage));
  EXPECT_TRUE(parsed_cuda({"--cuda-trace-all-apis=true"}).has(wire::kCudaAllApis));
  EXPECT_FALSE(parsed_cuda({"--cuda-event-trace=false"}).has(wire::kCudaEvents));
  EXPECT_TRUE(parsed_cuda({"--cuda-event-trace=auto"}).has(wire::kCudaEvents));
  EXPECT_FALSE(
      parsed_cuda({"--flush-on-cudaprofilerstop=false"}).has(wire::kCudaFlushOnProfilerStop));
  EXPECT_EQ(parsed_cuda({"--cuda-injection=force"}).injection, session::CudaInjection::kReplace);
}

TEST(CudaOptions, Graphs) {
  const auto graph = [](const char* word) {
    const auto options = parsed_cuda({std::string("--cuda-graph-trace=") + word});
    return std::pair(options.has(wire::kCudaGraphNodes), options.has(wire::kCudaDeviceGraphs));
  };
  EXPECT_EQ(graph("graph"), std::pair(false, false));
  EXPECT_EQ(graph("graph:host-and-device"), std::pair(false, true));
  EXPECT_EQ(graph("node:host-only"), std::pair(true, false));
  EXPECT_EQ(graph("node:host-and-device"), std::pair(true, true));
  EXPECT_EQ(graph("nvtx-live:host-and-device:node"), std::pair(true, true));
  EXPECT_EQ(graph("nvtx-precapture:graph"), std::pair(false, false));
  for (const char* wrong : {"nodes", "host-only", "node:never"})
    EXPECT_THROW(graph(wrong), Failure) << wrong;
}

TEST(CudaOptions, RangesBeforeTheCaptureAreNoted) {
  EXPECT_TRUE(parsed_session({"--cuda-graph-trace=node:nvtx-live"}).warnings.empty());
  const auto warnings = parsed_session({"--cuda-graph-trace=node:nvtx-precapture"}).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].find("--cuda-graph-trace=nvtx-precapture: "), 0U);
}

TEST(CudaOptions, CuptiIsSharedUnlessAskedNotTo) {
  for (const auto injection : {session::CudaInjection::kKeep, session::CudaInjection::kAlone}) {
    session::SessionOptions options;
    options.features |= wire::kFeatureCuda;
    options.cuda.injection = injection;
    resolve_cuda(options);
    EXPECT_EQ(options.cuda.has(wire::kCudaAlone), injection == session::CudaInjection::kAlone);
  }
}

TEST(CudaOptions, ProfIsTheOnlySubscriberUnlessAskedOtherwise) {
  EXPECT_FALSE(parsed_cuda({}).has(wire::kCudaSeveralSubscribers));
  EXPECT_FALSE(parsed_cuda({"--cupti-subscribers=one"}).has(wire::kCudaSeveralSubscribers));
  EXPECT_TRUE(parsed_cuda({"--cupti-subscribers=several"}).has(wire::kCudaSeveralSubscribers));
}

TEST(CudaOptions, AMissingLibcuptiIsRefused) {
  session::SessionOptions options;
  options.cuda.cupti = "/nonexistent/libcupti.so";
  EXPECT_THROW(resolve_cuda(options), Failure);
}

}  // namespace
}  // namespace prof::cli
