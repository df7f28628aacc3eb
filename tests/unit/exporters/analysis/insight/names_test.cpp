#include "exporters/analysis/insight/names.hpp"

#include <gtest/gtest.h>

namespace prof::insight {
namespace {

TEST(Names, WithoutNumbers) {
  EXPECT_EQ(without_numbers(":step 12"), ":step #");
  EXPECT_EQ(without_numbers("Step 10 to 20"), "Step # to #");
  EXPECT_EQ(without_numbers("epoch"), "epoch");
  EXPECT_EQ(without_numbers(""), "");
}

TEST(Names, Mentions) {
  EXPECT_TRUE(mentions("ProfilerStep#3", {"step"}));
  EXPECT_TRUE(mentions("train BATCH", {"step", "batch"}));
  EXPECT_FALSE(mentions("epoch", {"step", "batch"}));
}

}  // namespace
}  // namespace prof::insight
