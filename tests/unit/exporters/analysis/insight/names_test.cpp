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

TEST(Names, WithoutArguments) {
  EXPECT_EQ(
      without_arguments("PyTorch operators:aten::mm, sizes = [[2, 3]], arguments = [float32]"),
      "PyTorch operators:aten::mm");
  EXPECT_EQ(without_arguments("aten::mm, seq = 5, op_id = 12, sizes = [[2, 3]]"), "aten::mm");
  EXPECT_EQ(without_arguments("aten::mm, op_id = 12, sizes = []"), "aten::mm");
  EXPECT_EQ(without_arguments("step 3, warm"), "step 3, warm");
}

TEST(Names, Mentions) {
  EXPECT_TRUE(mentions("ProfilerStep#3", {"step"}));
  EXPECT_TRUE(mentions("train BATCH", {"step", "batch"}));
  EXPECT_FALSE(mentions("epoch", {"step", "batch"}));
}

}  // namespace
}  // namespace prof::insight
