#include "exporters/analysis/events/numbered_names.hpp"

#include <gtest/gtest.h>

namespace prof::events {
namespace {

TEST(NumberedNames, NumbersAtTheEndOfWords) {
  EXPECT_EQ(without_numbers("batch 7"), "batch #");
  EXPECT_EQ(without_numbers("step12/epoch_3"), "step#/epoch_#");
  EXPECT_EQ(without_numbers("lr=0.001."), "lr=#.");
  EXPECT_EQ(without_numbers("conv2d"), "conv2d");
  EXPECT_EQ(without_numbers("0x7f3a"), "0x7f3a");
  EXPECT_EQ(without_numbers(""), "");
}

TEST(NumberedNames, OnlyThoseThatMeetAreMerged) {
  NumberedNames names;
  const std::int32_t batch = names.group(":batch 1");
  EXPECT_EQ(names.group(":batch 2"), batch);
  EXPECT_EQ(names.text(batch), ":batch #");
  const std::int32_t net = names.group(":resnet18");
  EXPECT_EQ(names.group(":resnet18"), net);
  EXPECT_EQ(names.text(net), ":resnet18");
  EXPECT_NE(net, batch);
}

}  // namespace
}  // namespace prof::events
