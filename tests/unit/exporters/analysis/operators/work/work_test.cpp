// The expected numbers were computed by hand.
#include "exporters/analysis/operators/work/work.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::operators {
namespace {

using Number = std::optional<std::int64_t>;

struct Expected {
  Number matrix;
  Number vector;
  Number elements;
  std::int64_t other_bytes = 0;
};

void expect(const OperatorArguments& arguments, const Expected& expected) {
  const Work work = work_of(arguments);
  EXPECT_EQ(work.matrix_flops, expected.matrix) << arguments.name;
  EXPECT_EQ(work.vector_flops, expected.vector) << arguments.name;
  EXPECT_EQ(work.elements, expected.elements) << arguments.name;
  EXPECT_EQ(work.other_bytes, expected.other_bytes) << arguments.name;
}

void expect(const char* name, const std::vector<Shape>& shapes, const Expected& expected) {
  expect({.name = name, .shapes = shapes}, expected);
}

TEST(Work, OfMatrixProducts) {
  // 2 * 2 * 4 * 3; 2*3 + 3*4 + 2*4
  expect("aten::mm", {{2, 3}, {3, 4}}, {48, 0, 26});
  expect("aten::_scaled_mm", {{2, 3}, {3, 4}, {}, {}}, {48, 0, 26});
  expect("aten::addmm", {{4}, {2, 3}, {3, 4}, {}, {}}, {48, 8, 30});
  expect("aten::bmm", {{5, 2, 3}, {5, 3, 4}}, {240, 0, 130});
  expect("aten::baddbmm", {{5, 2, 4}, {5, 2, 3}, {5, 3, 4}, {}, {}}, {240, 40, 170});
  expect("aten::linear", {{7, 2, 3}, {4, 3}, {4}}, {336, 56, 42 + 12 + 56 + 4});
  expect("aten::matmul", {{7, 2, 3}, {3, 4}}, {336, 0, 42 + 12 + 56});
  expect("aten::matmul", {{5, 1, 2, 3}, {6, 3, 4}}, {30 * 48, 0, 30 + 72 + 240});
  expect("aten::mv", {{2, 3}, {3}}, {0, 12, 11});
  expect("aten::dot", {{5}, {5}}, {0, 10, 10});
  // 8 rows, each by one of 3 experts
  expect("aten::_grouped_mm", {{8, 4}, {3, 4, 5}, {3}}, {320, 0, 32 + 60 + 40});
}

TEST(Work, KnowsTheMatricesOfAProduct) {
  const std::vector<Shape> shapes{{5, 2, 3}, {5, 3, 4}};
  const Work work = work_of({.name = "aten::bmm", .shapes = shapes});
  ASSERT_TRUE(work.product);
  EXPECT_EQ(work.product->m, 2);
  EXPECT_EQ(work.product->n, 4);
  EXPECT_EQ(work.product->k, 3);
  EXPECT_EQ(work.product->batch, 5);
}

TEST(Work, OfConvolutions) {
  const Shape output{2, 8, 6, 6};
  const std::vector<Shape> shapes{{2, 4, 6, 6}, {8, 2, 3, 3}, {8}, {}, {}, {}, {}, {}, {}};
  // 2 * 2 images * 36 places * 8 * 2 * 9 weights
  expect({.name = "aten::cudnn_convolution", .shapes = shapes, .output = &output},
         {20736, 576, 288 + 144 + 576});
  expect({.name = "aten::convolution", .shapes = shapes}, {{}, {}, {}});
  const Shape wrong{2, 9, 6, 6};
  expect({.name = "aten::convolution", .shapes = shapes, .output = &wrong}, {{}, {}, {}});
  // Each value of the input [2, 4, 3, 3] is multiplied by 5 * 2 * 2 weights.
  const std::vector<Shape> transposed{{2, 4, 3, 3}, {4, 5, 2, 2}, {}};
  const Shape larger{2, 5, 6, 6};
  expect({.name = "aten::conv_transpose2d",
          .shapes = transposed,
          .output = &larger,
          .is_transposed = true},
         {2 * 2 * 9 * 80, 0, 72 + 80 + 360});
}

TEST(Work, OfGradientsOfConvolutions) {
  const std::vector<Shape> shapes{{2, 8, 6, 6}, {2, 4, 6, 6}, {8, 2, 3, 3}, {}};
  expect({.name = "aten::convolution_backward", .shapes = shapes}, {41472, 0, 2 * 1008});
  expect({.name = "aten::convolution_backward", .shapes = shapes, .has_input_gradient = false},
         {20736, 0, 1008});
}

TEST(Work, OfAttention) {
  // 3 heads of 2 sequences, 5 queries, 7 keys, width 4, values of width 6
  const std::vector<Shape> forward{{2, 3, 5, 4}, {2, 3, 7, 4}, {2, 3, 7, 6}, {}, {}};
  const std::int64_t scores = 2 * 3 * 5 * 7;
  const std::int64_t tensors = 120 + 168 + 252 + 180;
  for (const char* name : {"aten::_scaled_dot_product_flash_attention",
                           "aten::_scaled_dot_product_efficient_attention",
                           "aten::_scaled_dot_product_cudnn_attention"})
    expect(name, forward, {2 * scores * 10, 5 * scores, tensors});
  const std::vector<Shape> backward{{2, 3, 5, 6}, {2, 3, 5, 4}, {2, 3, 7, 4}, {2, 3, 7, 6}, {}};
  // 3 products with the width of keys, 2 with that of values
  expect("aten::_scaled_dot_product_flash_attention_backward", backward,
         {2 * scores * (12 + 12), 5 * scores, 2 * tensors});
  const std::vector<Shape> length_first{{2, 5, 3, 4}, {2, 7, 3, 4}, {2, 7, 3, 6}, {}, {}};
  expect("aten::_flash_attention_forward", length_first, {2 * scores * 10, 5 * scores, tensors});
  // Keys and values have one head for three of the queries.
  const std::vector<Shape> grouped{{2, 3, 5, 4}, {2, 1, 7, 4}, {2, 1, 7, 6}};
  expect("aten::_scaled_dot_product_flash_attention", grouped,
         {2 * scores * 10, 5 * scores, 120 + 56 + 84 + 180});
  // The lengths of sequences in one tensor are not known.
  expect("aten::_flash_attention_forward", {{40, 3, 4}, {40, 3, 4}, {40, 3, 4}, {3}, {3}},
         {{}, {}, {}});
}

TEST(Work, OfElementwiseOperators) {
  expect("aten::add", {{2, 3}, {2, 3}, {}}, {0, 6, 18});
  expect("aten::add_", {{2, 3}, {3}, {}}, {0, 6, 15});
  expect("aten::mul", {{2, 1}, {1, 3}}, {0, 6, 2 + 3 + 6});
  expect("aten::gelu_backward", {{4, 4}, {4, 4}, {}}, {0, 16, 48});
  expect("aten::native_dropout", {{10}, {}, {}}, {0, 10, 20, 10});
  expect("aten::where", {{10}, {10}, {10}}, {0, 0, 30, 10});
  expect("aten::copy_", {{10}, {10}, {}}, {0, 0, 20});
  expect("aten::cat", {{2, 3}, {2, 4}, {}}, {0, 0, 28});
  expect("aten::fill_", {{10}, {}}, {0, 0, 10});
  expect("aten::_foreach_add_", {{3}, {4}, {3}, {4}, {}}, {0, 7, 21});
  expect("aten::_foreach_mul_", {{3}, {4}, {}}, {0, 7, 14});
}

TEST(Work, OfOptimizers) {
  // parameters, gradients and two moments of 2 tensors, then steps
  const std::vector<Shape> adam{{3, 2}, {4}, {3, 2}, {4}, {3, 2}, {4}, {3, 2}, {4}, {}, {}};
  expect("aten::_fused_adam_", adam, {0, 120, 70});
  expect("aten::_fused_adamw_", {{3}, {4}, {3}, {4}, {3}, {4}, {3}, {4}, {3}, {4}, {}},
         {0, 84, 63});  // with the greatest moments
  expect("aten::_fused_sgd_", {{3}, {4}, {3}, {4}, {3}, {4}, {}}, {0, 28, 35});
  expect("aten::_fused_sgd_", {{3}, {4}, {3}, {4}, {}}, {0, 14, 21});
}

TEST(Work, OfOtherOperators) {
  const Shape sums{1, 10};
  const std::vector<Shape> matrix{{2, 10}, {}, {}};
  expect({.name = "aten::sum", .shapes = matrix, .output = &sums}, {0, 20, 30});
  expect("aten::mean", matrix, {0, 20, 20});
  expect("aten::_log_softmax", matrix, {0, 100, 40});
  expect("aten::_softmax_backward_data", {{2, 10}, {2, 10}, {}, {}}, {0, 80, 60});
  expect("aten::native_layer_norm", {{2, 10}, {}, {10}, {10}, {}}, {0, 100, 40});
  expect("aten::native_layer_norm_backward", {{2, 10}, {2, 10}, {}, {2, 1}, {2, 1}, {10}},
         {0, 160, 60});
  expect("aten::embedding", {{1000, 8}, {4, 5}, {}, {}, {}}, {0, 0, 320, 160});
  expect("aten::embedding_dense_backward", {{4, 5, 8}, {4, 5}, {}}, {0, 160, 320, 160});
  expect("aten::mse_loss", {{6}, {6}, {}}, {0, 18, 12});
  expect("aten::nll_loss_forward", {{6, 10}, {6}, {}, {}, {}}, {0, 6, 6, 48});
  const Shape pooled{2, 8, 3, 3};
  const std::vector<Shape> image{{2, 8, 6, 6}, {}, {}};
  expect({.name = "aten::max_pool2d_with_indices", .shapes = image, .output = &pooled},
         {0, {}, 576 + 144});
}

TEST(Work, OfRecurrentNetworks) {
  // 5 steps of 3 sequences, weights 16 x 6 and 16 x 4
  const std::vector<Shape> shapes{{5, 3, 6}, {16, 6}, {16, 4}, {16}, {16}, {1, 3, 4}, {1, 3, 4}};
  expect("aten::_cudnn_rnn", shapes, {2 * 15 * 160, {}, {}});
  expect("aten::_cudnn_rnn_backward", shapes, {4 * 15 * 160, {}, {}});
}

TEST(Work, IsUnknownNotZero) {
  expect("aten::mm", {{2, 3}, {4, 5}}, {{}, {}, {}});
  expect("aten::mm", {}, {{}, {}, {}});
  expect("aten::mm", {{INT64_MAX, INT64_MAX}, {INT64_MAX, INT64_MAX}}, {{}, 0, {}});
  expect("aten::convolution", {}, {{}, {}, {}});
  expect("vllm::paged", {{2, 3}}, {{}, {}, {}});
  EXPECT_STREQ(work_of({.name = "vllm::paged", .shapes = {}}).category, "other");
  EXPECT_STREQ(work_of({.name = "c10d::allreduce_", .shapes = {}}).category, "communication");
}

TEST(Work, HasBytesIfTheTypeIsKnown) {
  const std::vector<Shape> shapes{{2, 3}, {3, 4}};
  const Work work = work_of({.name = "aten::mm", .shapes = shapes});
  EXPECT_EQ(work.bytes(ElementType::kBf16), 52);
  EXPECT_EQ(work.bytes(ElementType::kTf32), 104);
  EXPECT_EQ(work.bytes(ElementType::kFp4), 13);
  EXPECT_EQ(work.bytes(ElementType::kUnknown), std::nullopt);
}

// The models of the design notes: a GPT block of batch 8, length 1024, width 768, 12 heads.
TEST(Work, OfAGptBlock) {
  std::int64_t flops = 0;
  const auto add = [&](const char* name, const std::vector<Shape>& shapes) {
    flops += work_of({.name = name, .shapes = shapes}).matrix_flops.value();
  };
  add("aten::addmm", {{2304}, {8192, 768}, {768, 2304}});
  const Shape heads{8, 12, 1024, 64};
  add("aten::_scaled_dot_product_flash_attention", {heads, heads, heads});
  add("aten::addmm", {{768}, {8192, 768}, {768, 768}});
  add("aten::addmm", {{3072}, {8192, 768}, {768, 3072}});
  add("aten::addmm", {{768}, {8192, 3072}, {3072, 768}});
  EXPECT_EQ(flops, 141'733'920'768);
  const std::int64_t linear = flops - 25'769'803'776;
  flops += 2 * linear;  // each linear layer has two products in its backward pass
  add("aten::_scaled_dot_product_flash_attention_backward", {heads, heads, heads, heads});
  EXPECT_EQ(flops, 438'086'664'192);
}

}  // namespace
}  // namespace prof::operators
