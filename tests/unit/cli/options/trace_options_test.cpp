#include "cli/options/trace_options.hpp"

#include <gtest/gtest.h>

#include "cli/failure.hpp"

namespace prof::cli {
namespace {

TEST(Traces, Lists) {
  const Traces some = parse_traces("nvtx,osrt");
  EXPECT_TRUE(some.nvtx && some.osrt && !some.cuda);
  EXPECT_FALSE(some.system_calls);
  EXPECT_TRUE(parse_traces("syscall").system_calls);
  const Traces none = parse_traces("none");
  EXPECT_FALSE(none.nvtx || none.osrt || none.cuda || none.system_calls);
}

TEST(Traces, Libraries) {
  const auto bits = [](const char* list) { return parse_traces(list).libraries; };
  EXPECT_EQ(bits("cuda,nvtx,osrt"), 0U);
  EXPECT_EQ(bits("cublas"), 1U);
  EXPECT_EQ(bits("cublas,cudnn,cusolver,cusparse,nccl"), 31U);
  EXPECT_EQ(bits("cublas-verbose,cusolver-verbose,cusparse-verbose"),
            bits("cublas,cusolver,cusparse"));
}

TEST(Traces, UnknownAndUnsupported) {
  EXPECT_THROW(parse_traces("cudnn-verbose"), Failure);

  EXPECT_THROW(parse_traces("osrtt"), Failure);
  EXPECT_THROW(parse_traces("nvtx,,osrt"), Failure);
  try {
    parse_traces("vulkan");
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("not supported"), std::string::npos);
  }
}

}  // namespace
}  // namespace prof::cli
