#include "exporters/analysis/operators/compiled/graph_work.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::operators {
namespace {

constexpr std::int64_t kElements = 8 * 512;

// The softmax of a sum, as the compiler has it.
const std::string kSoftmax =
    "aten::add, sizes = [[8, 512], []], arguments = [float32, 1] -> float32 [8, 512]\n"
    "aten::amax, sizes = [[8, 512], [], []], arguments = [float32, [-1], True] -> float32 [8, 1]\n"
    "aten::sub, sizes = [[8, 512], [8, 1]], arguments = [float32, float32] -> float32 [8, 512]\n"
    "aten::exp, sizes = [[8, 512]], arguments = [float32] -> float32 [8, 512]\n"
    "aten::sum, sizes = [[8, 512], [], []], arguments = [float32, [-1], True] -> float32 [8, 1]\n"
    "aten::div, sizes = [[8, 512], [8, 1]], arguments = [float32, float32] -> float32 [8, 512]\n";

TEST(GraphWork, IsTheSumOfItsOperators) {
  const GraphWork of = work_of_graph(kSoftmax, kElements, GraphKernel::kReduction);
  EXPECT_EQ(of.work.vector_flops, 6 * kElements);
  EXPECT_EQ(of.work.matrix_flops, 0);
  EXPECT_EQ(of.type, ElementType::kFp32);
  EXPECT_EQ(of.work.elements, std::nullopt) << "operators of a kernel do not move what is between";
}

TEST(GraphWork, OfProductsIsApartAndDecidesTheType) {
  const GraphWork of = work_of_graph(
      "aten::add, sizes = [[4, 64]], arguments = [float32] -> float32 [4, 64]\n"
      "prims::convert_element_type, sizes = [[4, 64], []], arguments = [float32, torch.bfloat16] "
      "-> bfloat16 [4, 64]\n"
      "aten::mm, sizes = [[4, 64], [64, 32]], arguments = [bfloat16, bfloat16] -> bfloat16 "
      "[4, 32]\n"
      "aten::relu, sizes = [[4, 32]], arguments = [bfloat16] -> bfloat16 [4, 32]\n",
      std::nullopt, GraphKernel::kTemplate);
  EXPECT_EQ(of.work.matrix_flops, 2 * 4 * 64 * 32);
  EXPECT_EQ(of.work.vector_flops, 4 * 64 + 4 * 32);
  EXPECT_EQ(of.type, ElementType::kBf16);
  ASSERT_TRUE(of.work.product);
  EXPECT_EQ(of.work.product->k, 64);
}

// A result of another kernel that is used is in the graph with the operator that made it.
TEST(GraphWork, DoesNotCountWhatOtherKernelsComputed) {
  EXPECT_EQ(work_of_graph(kSoftmax, kElements, GraphKernel::kPointwise).work.vector_flops,
            4 * kElements)
      << "a kernel that reduces nothing";
  // Of 512 partial sums that another kernel made, this one makes 8.
  EXPECT_EQ(work_of_graph("aten::add, sizes = [[8, 512], []], arguments = [float32, 1] -> float32 "
                          "[8, 512]\n"
                          "aten::sum, sizes = [[8, 512], []], arguments = [float32, [-1]] -> "
                          "float32 [8]\n"
                          "aten::var_mean, sizes = [?, []], arguments = [tensor, [1]]\n"
                          "aten::rsqrt, sizes = [?], arguments = [tensor] -> float32 [8]\n",
                          64, GraphKernel::kReduction)
                .work.vector_flops,
            64 + 64 + 8);
}

// Such a kernel writes its result in the order in which the convolution of a library needs it.
TEST(GraphWork, DoesNotCountProductsForWhichItPreparesAnArgument) {
  constexpr std::string_view kGradient =
      "aten::mul, sizes = [[4, 64], []], arguments = [float32, 2] -> float32 [4, 64]\n"
      "aten::convolution_backward, sizes = [?, [4, 64], [64, 64, 1, 1]], arguments = [tensor, "
      "float32, float32]\n"
      "aten::mm, sizes = [[4, 64], [64, 32]], arguments = [float32, float32] -> float32 [4, 32]\n";
  for (const GraphKernel kernel : {GraphKernel::kPointwise, GraphKernel::kReduction}) {
    const GraphWork of = work_of_graph(kGradient, 4 * 64, kernel);
    EXPECT_EQ(of.work.matrix_flops, 0);
    EXPECT_EQ(of.work.vector_flops, 4 * 64);
  }
}

TEST(GraphWork, KindsOfKernelsAreInTheirNames) {
  EXPECT_EQ(kind_of_graph_kernel("triton_poi_fused_add_0"), GraphKernel::kPointwise);
  for (const std::string_view name :
       {"triton_red_fused_sum_1", "triton_per_fused_sum_1", "triton_for_fused_2"})
    EXPECT_EQ(kind_of_graph_kernel(name), GraphKernel::kReduction) << name;
  for (const std::string_view name : {"triton_tem_fused_mm_3", "kernel_of_a_user"})
    EXPECT_EQ(kind_of_graph_kernel(name), GraphKernel::kTemplate) << name;
}

TEST(GraphWork, IsUnknownWithASizeOrAnOperatorThatIsUnknown) {
  EXPECT_EQ(
      work_of_graph("aten::relu, sizes = [?], arguments = [tensor]\n", {}, GraphKernel::kReduction)
          .work.vector_flops,
      std::nullopt);
  EXPECT_EQ(work_of_graph("aten::no_such, sizes = [[2]], arguments = [float32] -> float32 [2]\n",
                          {}, GraphKernel::kReduction)
                .work.vector_flops,
            std::nullopt);
  EXPECT_EQ(work_of_graph("aten::relu, sizes = [?], arguments = [tensor] -> tensor "
                          "[4294967296, 4294967296]\n",
                          {}, GraphKernel::kReduction)
                .work.vector_flops,
            std::nullopt);
}

TEST(GraphWork, OfACalledOperatorHasItsTraffic) {
  const GraphWork mm = work_of_called(parse_graph_operator(
      "aten::mm, sizes = [[8, 512], [512, 16]], arguments = [float16, float16] -> float16 "
      "[8, 16]"));
  EXPECT_EQ(mm.work.matrix_flops, 2 * 8 * 512 * 16);
  EXPECT_EQ(mm.work.bytes(mm.type), 2 * (8 * 512 + 512 * 16 + 8 * 16));
  const GraphWork convolution = work_of_called(parse_graph_operator(
      "aten::convolution, sizes = [[2, 3, 32, 32], [16, 3, 3, 3], [], [], [], [], []], arguments = "
      "[float32, float32, None, [1, 1], [1, 1], [1, 1], False] -> tensor [2, 16, 32, 32]"));
  EXPECT_EQ(convolution.work.matrix_flops, std::int64_t{2} * 2 * 32 * 32 * 16 * 3 * 3 * 3);
}

TEST(GraphWork, ParsesOperators) {
  const std::string line = kSoftmax.substr(0, kSoftmax.find('\n'));
  const GraphOperator each = parse_graph_operator(line);
  EXPECT_EQ(each.name, "aten::add");
  EXPECT_EQ(each.sizes, "[[8, 512], []]");
  EXPECT_EQ(each.arguments, "[float32, 1]");
  EXPECT_EQ(each.result, (Shape{8, 512}));
  EXPECT_EQ(parse_graph_operator("").name, "");
  EXPECT_FALSE(parse_graph_operator("aten::add -> float32 [8").result);
}

}  // namespace
}  // namespace prof::operators
