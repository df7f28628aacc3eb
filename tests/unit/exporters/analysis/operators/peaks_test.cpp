#include "exporters/analysis/operators/peaks.hpp"

#include <gtest/gtest.h>

#include "exporters/analysis/operators/limits.hpp"

namespace prof::operators {
namespace {

constexpr double kTera = 1e12;

struct Sheet {
  const char* name;
  int major;
  int minor;
  int multiprocessors;
  double clock;  // GHz, as CUDA reports it
  double fp16;   // TFLOP/s of the data sheet
  double fp32;
};

// NVIDIA's data sheets.
constexpr Sheet kSheets[] = {
    {"Tesla V100-SXM2-32GB", 7, 0, 80, 1.530, 125, 15.7},
    {"Tesla T4", 7, 5, 40, 1.590, 65, 8.1},
    {"NVIDIA A100-SXM4-80GB", 8, 0, 108, 1.410, 312, 19.5},
    {"NVIDIA A10", 8, 6, 72, 1.695, 125, 31.2},
    {"NVIDIA L4", 8, 9, 58, 2.040, 121, 30.3},
    {"NVIDIA L40S", 8, 9, 142, 2.520, 362, 91.6},
    {"NVIDIA GeForce RTX 4090", 8, 9, 128, 2.520, 165.2, 82.6},
    {"NVIDIA GeForce RTX 5090", 12, 0, 170, 2.407, 209.5, 104.8},
    {"NVIDIA H100 PCIe", 9, 0, 114, 1.755, 756, 51.2},
    {"NVIDIA H100 80GB HBM3", 9, 0, 132, 1.980, 989.4, 66.9},
    {"NVIDIA H200", 9, 0, 132, 1.980, 989.4, 66.9},
    {"NVIDIA B200", 10, 0, 148, 1.965, 2250, 74.4},
};

TEST(Peaks, AreThoseOfDataSheets) {
  for (const Sheet& sheet : kSheets) {
    const Peaks peaks = peaks_of({.name = sheet.name,
                                  .major = sheet.major,
                                  .minor = sheet.minor,
                                  .multiprocessors = sheet.multiprocessors,
                                  .clock = sheet.clock * 1e9});
    EXPECT_NEAR(peaks.matrix_of(ElementType::kFp16) / kTera, sheet.fp16, 0.005 * sheet.fp16)
        << sheet.name;
    EXPECT_NEAR(peaks.vector_fp32 / kTera, sheet.fp32, 0.02 * sheet.fp32) << sheet.name;
  }
}

TEST(Peaks, DependOnTheType) {
  const GpuFacts h100{"NVIDIA H100 80GB HBM3", 9, 0, 132, 1.98e9, 3.35e12};
  const Peaks peaks = peaks_of(h100);
  EXPECT_NEAR(peaks.matrix_of(ElementType::kTf32) / kTera, 494.7, 1);
  EXPECT_NEAR(peaks.matrix_of(ElementType::kFp8) / kTera, 1979, 2);
  EXPECT_NEAR(peaks.matrix_of(ElementType::kFp64) / kTera, 61.8, 5.5);  // the sheet has 67
  EXPECT_EQ(peaks.matrix_of(ElementType::kFp32), peaks.vector_fp32);
  EXPECT_EQ(peaks.matrix_of(ElementType::kFp4), 0);
  EXPECT_EQ(peaks.matrix_of(ElementType::kUnknown), 0);
  EXPECT_TRUE(has_tensor_cores(h100, ElementType::kFp32));  // as TF32
  const GpuFacts v100{"Tesla V100-SXM2-16GB", 7, 0, 80, 1.53e9, 9e11};
  EXPECT_FALSE(has_tensor_cores(v100, ElementType::kFp32));
  EXPECT_FALSE(has_tensor_cores(v100, ElementType::kBf16));
  EXPECT_TRUE(has_tensor_cores(v100, ElementType::kFp16));
}

TEST(Peaks, AreUnknownForUnknownGpus) {
  const Peaks peaks =
      peaks_of({.name = "NVIDIA Z1", .major = 42, .multiprocessors = 10, .clock = 1e9});
  EXPECT_EQ(peaks.vector_fp32, 0);
  EXPECT_EQ(peaks.matrix_of(ElementType::kFp16), 0);
}

Work gemm(std::int64_t flops, std::int64_t elements) {
  return {.category = "", .matrix_flops = flops, .vector_flops = 0, .elements = elements};
}

TEST(Limits, AreTheHigherOfComputeAndMemory) {
  Peaks peaks;
  peaks.matrix[static_cast<std::size_t>(ElementType::kFp16)] = 1e12;
  peaks.vector_fp32 = 1e11;
  peaks.memory = 1e11;
  // 4e9 operations take 4 ms; 1e8 bytes take 1 ms.
  auto limit = limit_of(gemm(4'000'000'000, 50'000'000), ElementType::kFp16, &peaks);
  ASSERT_TRUE(limit);
  EXPECT_DOUBLE_EQ(limit->compute, 4e6);
  EXPECT_DOUBLE_EQ(limit->memory, 1e6);
  EXPECT_EQ(bound_of(*limit, 5e6), Bound::kCompute);
  EXPECT_EQ(bound_of(*limit, 9e6), Bound::kNeither);
  limit = limit_of(gemm(4'000'000, 50'000'000), ElementType::kFp16, &peaks);
  ASSERT_TRUE(limit);
  EXPECT_EQ(bound_of(*limit, 1.5e6), Bound::kMemory);
}

TEST(Limits, NeedAllFacts) {
  Peaks peaks;
  peaks.matrix[static_cast<std::size_t>(ElementType::kFp16)] = 1e12;
  peaks.memory = 1e11;
  EXPECT_FALSE(limit_of(gemm(1, 1), ElementType::kFp16, nullptr));
  EXPECT_FALSE(limit_of(gemm(1, 1), ElementType::kUnknown, &peaks));
  EXPECT_FALSE(limit_of(gemm(1, 1), ElementType::kFp8, &peaks));  // no such tensor cores
  EXPECT_FALSE(limit_of({}, ElementType::kFp16, &peaks));
  EXPECT_FALSE(limit_of(gemm(0, 0), ElementType::kFp16, &peaks));
}

}  // namespace
}  // namespace prof::operators
