#include "exporters/analysis/operators/work/element_types.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::operators {
namespace {

TEST(ElementTypes, AreFoundInNamesOfKernels) {
  const auto name = [](const char* kernel) {
    return std::string(name_of(element_type_of(kernel)));
  };
  EXPECT_EQ(name("ampere_sgemm_128x64_tn"), "fp32");
  EXPECT_EQ(name("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn"), "fp16");
  EXPECT_EQ(name("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn"), "fp16");
  EXPECT_EQ(name("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"), "bf16");
  EXPECT_EQ(name("cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4"), "tf32");
  EXPECT_EQ(name("sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x64x32"), "tf32");
  EXPECT_EQ(name("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN"), "fp16");
  EXPECT_EQ(name("nvjet_sm100_tst_128x256_64x6_2x1_2cta_v_bz_TNT"), "bf16");
  EXPECT_EQ(name("volta_dgemm_64x64_nn"), "fp64");
  EXPECT_EQ(name("sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n"), "fp8");
  EXPECT_EQ(name("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<"
                 "float>, std::array<char*, 3ul> >(int)"),
            "fp32");
  EXPECT_EQ(name("void at::native::elementwise_kernel<128, 4, at::native::BinaryFunctor<"
                 "c10::BFloat16, c10::BFloat16, c10::BFloat16, MulFunctor<float> > >(int)"),
            "bf16");
  EXPECT_EQ(name("void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
                 "cutlass::half_t> >(Flash_fwd_params)"),
            "fp16");
  EXPECT_EQ(name("triton_poi_fused_add_relu_3"), "");
}

}  // namespace
}  // namespace prof::operators
