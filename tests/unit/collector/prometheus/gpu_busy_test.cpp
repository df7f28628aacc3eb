#include "collector/prometheus/gpu_busy.hpp"

#include <gtest/gtest.h>

namespace prof::prometheus {
namespace {

TEST(GpuBusy, CountsWorkThatOverlapsOnce) {
  GpuBusy gpu;
  gpu.add(100, 200);
  gpu.add(150, 180);
  gpu.add(300, 400);
  gpu.add(190, 250);
  gpu.add(50, 50);
  EXPECT_EQ(gpu.busy(), 0U);
  gpu.settle(1000);
  EXPECT_EQ(gpu.busy(), 150U + 100U);
}

TEST(GpuBusy, CountsUpToTheTime) {
  GpuBusy gpu;
  gpu.add(100, 200);
  gpu.add(400, 500);
  gpu.settle(150);
  EXPECT_EQ(gpu.busy(), 50U);
  gpu.add(160, 170);  // inside of the first
  gpu.settle(450);
  EXPECT_EQ(gpu.busy(), 100U + 50U);
  gpu.settle(450);
  EXPECT_EQ(gpu.busy(), 150U);
  gpu.settle(600);
  EXPECT_EQ(gpu.busy(), 200U);
}

TEST(GpuBusy, NothingIsCountedTwiceThatComesLate) {
  GpuBusy gpu;
  gpu.add(100, 200);
  gpu.settle(1000);
  gpu.add(150, 250);
  gpu.settle(1000);
  EXPECT_EQ(gpu.busy(), 150U);
}

TEST(GpuBusy, ManyPiecesOfWorkNeedNoScrape) {
  GpuBusy gpu;
  constexpr std::uint64_t kPieces = 500'000;
  for (std::uint64_t i = 0; i < kPieces; ++i) gpu.add(i * 10, i * 10 + 5);
  EXPECT_GT(gpu.busy(), kPieces * 5 / 2);
  gpu.settle(kPieces * 10);
  EXPECT_EQ(gpu.busy(), kPieces * 5);
}

}  // namespace
}  // namespace prof::prometheus
