#include "exporters/analysis/operators/names/fused_names.hpp"

#include <gtest/gtest.h>

namespace prof::operators {
namespace {

std::string inductor(std::string_view kernel) {
  const auto name = parse_inductor_name(kernel);
  return name ? name->operators : "none";
}
std::string xla(std::string_view kernel) {
  const auto name = parse_xla_name(kernel);
  return name ? name->operators : "none";
}

TEST(FusedNames, OfInductorHaveTheirOperators) {
  EXPECT_EQ(inductor("triton_poi_fused_add_relu_0"), "aten::add + aten::relu");
  EXPECT_EQ(inductor("triton_poi_fused_relu"), "aten::relu");
  EXPECT_EQ(inductor("triton_red_fused__to_copy_add_native_layer_norm_13"),
            "aten::_to_copy + aten::add + aten::native_layer_norm");
  EXPECT_EQ(inductor("triton_per_fused__softmax_masked_fill_mul_2"),
            "aten::_softmax + aten::masked_fill + aten::mul");
  EXPECT_EQ(inductor("triton_poi_fused_convolution_backward_native_batch_norm_backward_"
                     "threshold_backward_60"),
            "aten::native_batch_norm_backward + aten::threshold_backward")
      << "it prepares an argument of the convolution";
  EXPECT_EQ(inductor("triton_poi_fused_convolution_3"), "aten::convolution") << "its bias";
  EXPECT_EQ(inductor("triton_poi_fused_max_pool2d_with_indices_2"),
            "aten::max_pool2d_with_indices");
  EXPECT_EQ(inductor("triton_poi_fused_empty_like_zeros_like_1"),
            "aten::empty_like + aten::zeros_like");
  EXPECT_EQ(inductor("triton_tem_fused_addmm_gelu_7"), "aten::addmm + aten::gelu");
  EXPECT_EQ(inductor("triton_poi_fused_unheard_of_0"), "aten::unheard + aten::of");
}

TEST(FusedNames, OfInductorHaveACategoryAndADirection) {
  EXPECT_STREQ(parse_inductor_name("triton_poi_fused_convolution_0")->category, "elementwise");
  EXPECT_STREQ(parse_inductor_name("triton_per_fused_sum_0")->category, "reduction");
  EXPECT_STREQ(parse_inductor_name("triton_tem_fused_mm_relu_0")->category, "matrix product");
  EXPECT_STREQ(parse_inductor_name("triton_tem_fused_convolution_0")->category, "convolution");
  EXPECT_FALSE(parse_inductor_name("triton_poi_fused_add_0")->is_backward);
  EXPECT_TRUE(parse_inductor_name("triton_poi_fused_add_threshold_backward_0")->is_backward);
}

TEST(FusedNames, OfXlaHaveItsInstructions) {
  EXPECT_EQ(xla("loop_add_multiply_fusion_3"), "add + multiply");
  EXPECT_EQ(xla("loop_add_fusion"), "add");
  EXPECT_EQ(xla("input_add_reduce_fusion_1"), "add + reduce");
  EXPECT_EQ(xla("loop_dynamic_update_slice_fusion"), "dynamic_update_slice");
  EXPECT_EQ(xla("gemm_fusion_dot_5"), "dot");
  EXPECT_EQ(xla("loop_fusion"), "fusion");
  EXPECT_STREQ(parse_xla_name("input_reduce_fusion")->category, "reduction");
}

TEST(FusedNames, AreNotThoseOfOtherKernels) {
  for (const char* kernel :
       {"", "triton_", "triton_poi_fused_", "triton_poi_fused__0", "triton_poi_fused_0",
        "_fused_add", "matmul_kernel", "_attn_fwd", "fused_add_kernel"})
    EXPECT_EQ(inductor(kernel), "none") << kernel;
  for (const char* kernel : {"", "_fusion", "fusion", "my_fusion", "loop_add", "fusion_kernel_3"})
    EXPECT_EQ(xla(kernel), "none") << kernel;
}

}  // namespace
}  // namespace prof::operators
