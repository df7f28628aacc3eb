#include "cli/options/recording/step_options.hpp"

#include <gtest/gtest.h>

#include "cli/messages/failure.hpp"

namespace prof::cli {
namespace {

TEST(StepOptions, StepsOfStart) {
  const session::StepRequest open = parse_steps("1000");
  EXPECT_EQ(open.first, 1000U);
  EXPECT_EQ(open.last(), UINT64_MAX);
  const session::StepRequest five = parse_steps("1000:5");
  EXPECT_EQ(five.last(), 1004U);
  for (const char* wrong :
       {"", "x", "-1", "1:", "1:0", ":5", "1,2", "next", "next:", "next:0", "next:x", "next:1:0",
        "1 ", "0x10", "99999999999999999999", "next:9999999999999999999"})
    EXPECT_THROW(parse_steps(wrong), Failure) << wrong;
}

TEST(StepOptions, TheNextMultiple) {
  session::StepRequest next = parse_steps("next:1000:5");
  next.choose(1);
  EXPECT_EQ(next.first, 1000U);
  next.choose(1000);
  EXPECT_EQ(next.first, 1000U);
  next.choose(1001);
  EXPECT_EQ(next.first, 2000U);
  EXPECT_EQ(next.last(), 2004U);
  session::StepRequest fixed = parse_steps("7");
  fixed.choose(1001);
  EXPECT_EQ(fixed.first, 7U);
}

TEST(StepOptions, TheRangeOfSteps) {
  session::SessionOptions options;
  options.features = 0;
  choose_step_range("step@loop", "--step-range", options);
  EXPECT_EQ(options.ranges.nvtx_range + "|" + options.ranges.nvtx_domain, "step|loop");
  EXPECT_FALSE(options.python.marks_steps);
  EXPECT_TRUE(options.has(wire::kFeatureNvtx));
  EXPECT_EQ(options.warnings.size(), 1U);
  choose_step_range("optimizer", "--step-range", options);
  EXPECT_TRUE(options.python.marks_steps);
  EXPECT_THROW(choose_step_range("@loop", "--step-range", options), Failure);
}

}  // namespace
}  // namespace prof::cli
