#include "exporters/analysis/diff/watch.hpp"

#include <gtest/gtest.h>

namespace prof::diff {
namespace {

const std::vector<const Category*> kCompared = {find_category("kernel"), find_category("nvtx")};

Comparison comparison() {
  Comparison result;
  result.before.gpu_busy = 100;
  result.after.gpu_busy = 110;
  join(*kCompared[0], {{"f(int)", {1, 10}}, {"g", {1, 5}}}, {{"f(int)", {1, 30}}}, result.changes);
  join(*kCompared[1], {}, {{"train:step", {1, 8}}}, result.changes);
  return result;
}

TEST(Watch, Requests) {
  for (const char* request :
       {"duration", "gpu-busy", "kernel", "kernel:f<1, 2>", "nvtx:train:step"})
    EXPECT_TRUE(check_watch(request, kCompared)) << request;
  for (const char* request : {"", "durations", "osrt", "osrt:read", "Kernel", ":kernel"})
    EXPECT_FALSE(check_watch(request, kCompared)) << request;
}

TEST(Watch, FiguresSumsAndNames) {
  const auto busy = watch(comparison(), "gpu-busy");
  ASSERT_TRUE(busy);
  EXPECT_EQ(busy->after, 110);
  const auto sum = watch(comparison(), "kernel");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->before, 15);
  EXPECT_EQ(sum->after, 30);
  const auto one = watch(comparison(), "kernel:f(int)");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->before, 10);
  const auto range = watch(comparison(), "nvtx:train:step");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->after, 8);
}

TEST(Watch, WhatTheReportsDoNotTell) {
  EXPECT_FALSE(watch(comparison(), "duration"));
  EXPECT_FALSE(watch(comparison(), "kernel:h"));
}

TEST(Watch, SlowerIsMoreThanThePercentage) {
  EXPECT_FALSE(is_slower({"", 100, 110}, 10));
  EXPECT_TRUE(is_slower({"", 100, 111}, 10));
  EXPECT_FALSE(is_slower({"", 100, 50}, 0));
  EXPECT_TRUE(is_slower({"", 0, 1}, 1000));
  EXPECT_FALSE(is_slower({"", 0, 0}, 0));
}

}  // namespace
}  // namespace prof::diff
