#include "cli/monitor/sparkline.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace prof::cli {
namespace {

TEST(Sparkline, HasTheNewestValueAtTheRight) {
  EXPECT_EQ(sparkline({0, 100}, 4, 100, true), "  ▁█");
  EXPECT_EQ(sparkline({7, 0, 50, 100}, 3, 100, false), "_=#");
}

TEST(Sparkline, FitsTheLargestValueThatIsShown) {
  EXPECT_EQ(sparkline({1000, 1, 2}, 2, 0, false), "=#");
  EXPECT_EQ(sparkline({0, 0}, 2, 0, false), "__");
}

TEST(Sparkline, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(sparkline({NAN, 500, -1}, 3, 100, false), " #_");
  EXPECT_EQ(sparkline({}, 3, 0, true), "   ");
}

}  // namespace
}  // namespace prof::cli
