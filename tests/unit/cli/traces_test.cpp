#include "cli/traces.hpp"

#include <gtest/gtest.h>

#include "cli/failure.hpp"

namespace prof::cli {
namespace {

TEST(Traces, Lists) {
  const Traces some = parse_traces("nvtx,osrt");
  EXPECT_TRUE(some.nvtx && some.osrt && !some.cuda);
  const Traces none = parse_traces("none");
  EXPECT_FALSE(none.nvtx || none.osrt || none.cuda);
}

TEST(Traces, UnknownAndUnsupported) {
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
