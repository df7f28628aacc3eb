#include "exporters/analysis/insight/kernel_kinds.hpp"

#include <gtest/gtest.h>

namespace prof::insight {
namespace {

struct Known {
  const char* name;
  TensorCores tensor_cores;
  const char* family;
};

constexpr TensorCores kUsed = TensorCores::kUsed;
constexpr TensorCores kEligible = TensorCores::kEligible;
constexpr TensorCores kNo = TensorCores::kNo;

// clang-format off
constexpr Known kKnown[] = {
    // cuBLAS
    {"ampere_sgemm_128x64_nn", kEligible, "GEMM"},
    {"volta_sgemm_fp16_128x64_nn", kEligible, "GEMM"},
    {"ampere_gcgemm_64x64_nt", kEligible, "GEMM"},
    {"maxwell_hgemm_128x64_tn", kEligible, "GEMM"},
    {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", kUsed, "GEMM"},
    {"volta_h884gemm_64x128_ldg8_nn", kUsed, "GEMM"},
    {"turing_fp16_s1688gemm_fp16_256x128_ldg8_f2f_tn", kUsed, "GEMM"},
    {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", kUsed, "GEMM"},
    {"ampere_int32_i16832gemm_int8_256x128_ldg16_stages_64x3_tn", kUsed, "GEMM"},
    {"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN", kUsed, "cuBLAS (nvjet)"},
    {"nvjet_sm100_tst_128x256_64x6_2x1_2cta_v_bz_TNT", kUsed, "cuBLAS (nvjet)"},
    {"void gemv2T_kernel_val<int, int, double, double, double, double, (int)128, (int)16, (int)4, (int)4, (bool)0, (bool)0, cublasGemvParamsEx<int>>(T13, T5, T5)", kNo, "cuBLAS"},
    {"std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, float, float, float, float, (bool)0, (bool)1, (bool)0, (bool)0, (int)6, (bool)0, cublasGemvParamsEx<int>>(T13)", kNo, "cuBLAS"},
    {"void gemmk1_kernel<int, float, (int)256, (int)5, (bool)0>(cublasGemmk1Params<T2>)", kNo, "cuBLAS"},
    {"void gemmSN_TN_kernel<float, (int)128, (int)16, (int)2, (int)4>(cublasGemmSmallNParams<T9>)", kEligible, "cuBLAS"},
    {"void cublasLt::splitKreduce_kernel<(int)32, (int)16, int, double, double>(cublasLt::cublasSplitKParams<T6>)", kNo, "cuBLAS"},
    {"void splitKreduce_kernel<float, float, float, float, (bool)1, (bool)0>(cublasSplitKParams<float>)", kNo, "cuBLAS"},
    {"compute_gemm_pointers(float2 **, const float2 *, int, int)", kNo, "GEMM"},
    // xmma
    {"sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_stage5_warpsize2x2x1_tensor16x8x16_kernel", kUsed, "cuDNN/cuBLAS (xmma)"},
    {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas", kEligible, "cuDNN/cuBLAS (xmma)"},
    {"sm80_xmma_gemm_f64f64_f64f64_f64_tn_n_tilesize64x64x16_stage4_warpsize2x2x1_tensor8x8x4_kernel", kUsed, "cuDNN/cuBLAS (xmma)"},
    {"sm80_xmma_gemm_i8i8_i8i32_i32_tn_n_tilesize128x128x64_stage3_warpsize2x2x1_tensor16x8x32_kernel", kUsed, "cuDNN/cuBLAS (xmma)"},
    {"sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x64x64_stage3_warpsize2x2x1_tensor16x8x32_kernel", kUsed, "cuDNN/cuBLAS (xmma)"},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas", kUsed, "cuDNN/cuBLAS (xmma)"},
    {"sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn", kUsed, "cuDNN/cuBLAS (xmma)"},
    {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4_warpsize2x2x1_g1_tensor16x8x8_kernel_cudnn", kUsed, "cuDNN/cuBLAS (xmma)"},
    {"sm80_xmma_wgrad_implicit_gemm_indexed_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3_warpsize1x2x1_g1_ffma_aligna4_alignc4_execute_kernel__5x_cudnn", kEligible, "cuDNN/cuBLAS (xmma)"},
    {"sm90_xmma_dgrad_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x128x64_warpgroupsize1x1x1_g1_strided_execute_kernel__5x_cudnn", kUsed, "cuDNN/cuBLAS (xmma)"},
    {"void cask_plugin__5x_cudnn::xmma__5x_cudnn::init_device_workspace_kernel<xmma__5x_cudnn::implicit_gemm::wgrad_indexed::Warp_specialized_kernel>(T1)", kNo, "cuDNN/cuBLAS (xmma)"},
    // CUTLASS
    {"void cutlass__5x_cudnn::Kernel<cutlass__5x_cudnn::reduction::kernel::ReduceSplitK<cutlass__5x_cudnn::MatrixShape<(int)4, (int)256>>>(T1::Params)", kNo, "CUTLASS"},
    {"void cutlass__5x_cudnn::Kernel<cutlass__5x_cudnn::conv::kernel::ImplicitGemmConvolution<cutlass__5x_cudnn::gemm::warp::MmaTensorOp<(int)1>>>(T1::Params)", kUsed, "CUTLASS"},
    {"void cutlass::Kernel<cutlass::conv::kernel::ImplicitGemmConvolution<cutlass::gemm::warp::MmaSimt<(int)1>>>(T1::Params)", kEligible, "CUTLASS"},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_nn_align1>(T1::Params)", kEligible, "CUTLASS"},
    {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(T1::Params)", kUsed, "CUTLASS"},
    {"void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x4_tn_align1>(T1::Params)", kUsed, "CUTLASS"},
    {"void cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_32x1_tn_align8>(T1::Params)", kUsed, "CUTLASS"},
    {"void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<(int)4>>>>>(T1::Params)", kUsed, "CUTLASS"},
    {"void at::cuda::detail::prepare_grouped_gemm_data<cutlass::bfloat16_t>(T1 *, T1 *)", kNo, "CUTLASS"},
    // cuDNN
    {"void implicit_convolve_sgemm<float, float, (int)1024, (int)5, (int)5, (int)3, (int)3, (int)3, (int)1, (bool)0, (bool)0, (bool)1>(int, int, int)", kEligible, "GEMM"},
    {"void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(cudnn::winograd_nonfused::WinogradDataParams<T1, T2>)", kEligible, "cuDNN"},
    {"ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", kEligible, "cuDNN"},
    {"volta_scudnn_128x64_relu_interior_nn_v1", kEligible, "cuDNN"},
    {"volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc_tn_v1", kUsed, "cuDNN"},
    {"void cudnn::cnn::wgrad_alg0_engine<float, (int)128, (int)5, (int)5, (int)3, (int)3, (int)3, (bool)0, (int)512>(int, int, int)", kEligible, "cuDNN"},
    {"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_f16_s16816dgrad_optimized_f16_64x128_32x6_nhwc_align8>(T1::Params)", kUsed, "CUTLASS"},
    {"void cudnn::cnn::conv2d_grouped_direct_kernel<(bool)0, (bool)1, (bool)0, (bool)0, (int)0, (int)0, int, float>(T8)", kNo, "cuDNN"},
    {"cudnn::gemm::computeOffsetsKernel(cudnn::gemm::ComputeOffsetsParams)", kNo, "cuDNN"},
    {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, (int)512, (bool)1, (int)1, (bool)1>(cudnnTensorStruct)", kNo, "cuDNN"},
    {"void cudnn::engines_precompiled::nchwToNhwcKernel<float, float, float, (bool)0, (bool)1>(cudnn::engines_precompiled::nchw2nhwc_params_t<T3>)", kNo, "cuDNN"},
    {"cudnn_generated_fort_native_sdpa_sm80_flash_fprop_f16_knob_6_64x64x64_4x1x1_kernel0_0", kUsed, "cuDNN"},
    // Attention
    {"void flash::flash_fwd_kernel<flash::Flash_fwd_kernel_traits<(int)64, (int)128, (int)128, (int)4>>(flash::Flash_fwd_params)", kUsed, "FlashAttention"},
    {"void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<flash::Flash_bwd_kernel_traits<(int)64>>(flash::Flash_bwd_params)", kUsed, "FlashAttention"},
    {"void flash::flash_bwd_dot_do_o_kernel<(bool)1, flash::Flash_bwd_kernel_traits<(int)64>>(flash::Flash_bwd_params)", kNo, "FlashAttention"},
    {"void flash::flash_fwd_splitkv_combine_kernel<flash::Flash_fwd_kernel_traits<(int)64>>(flash::Flash_fwd_params)", kNo, "FlashAttention"},
    {"fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::bfloat16_t, cutlass::arch::Sm80>::Params)", kUsed, "attention"},
    {"fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float, cutlass::arch::Sm80>::Params)", kUsed, "attention"},
    {"fmha_cutlassF_f32_aligned_64x64_rf_sm75(PyTorchMemEffAttention::AttentionKernel<float, cutlass::arch::Sm75>::Params)", kEligible, "attention"},
    // PyTorch, Triton, XLA, CuPy, CUB
    {"void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<float>, std::array<char *, (unsigned long)1>>(int, T2, T3)", kNo, "PyTorch"},
    {"void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<(int)3, float, int>(at::GenericPackedTensorAccessor<T2>)", kNo, "PyTorch"},
    {"triton_poi_fused_convolution_relu_3", kNo, "Triton"},
    {"triton_red_fused_native_layer_norm_0", kNo, "Triton"},
    {"triton_tem_fused_addmm_relu_7", kUsed, "Triton"},
    {"gemm_fusion_dot_12", kUsed, "GEMM"},
    {"loop_add_fusion", kNo, "XLA"},
    {"cupy_multiply__float64_float64_float64", kNo, "CuPy"},
    {"void cub::CUB_200600_900_NS::DeviceReduceKernel<float>(T1)", kNo, "CUB"},
    {"void cusparse::csrmv_v3_transpose_kernel<int, int, float>(T1)", kNo, "cuSPARSE"},
    // Programs' own
    {"matmul(const float *, const float *, float *, int)", kEligible, "other"},
    {"saxpy(float, const float *, float *, int)", kNo, "other"},
};
// clang-format on

TEST(KernelKinds, AreToldByName) {
  for (const Known& known : kKnown) {
    const KernelKind kind = kind_of_kernel(known.name);
    EXPECT_EQ(static_cast<int>(kind.tensor_cores), static_cast<int>(known.tensor_cores))
        << known.name;
    EXPECT_STREQ(kind.family, known.family) << known.name;
    EXPECT_FALSE(kind.communication) << known.name;
  }
}

TEST(KernelKinds, Communication) {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm *, unsigned long, ncclWork *)",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, (int)8>(vllm::RankData *)",
        "void tensorrt_llm::kernels::oneShotAllReduceKernel<__half>(T1)",
        "one_shot_all_reduce_kernel", "void deep_ep::intranode::combine<__nv_bfloat16>(T1 *)"}) {
    EXPECT_TRUE(kind_of_kernel(name).communication) << name;
    EXPECT_EQ(kind_of_kernel(name).tensor_cores, TensorCores::kNo) << name;
  }
}

TEST(KernelKinds, Layout) {
  EXPECT_TRUE(
      kind_of_kernel("void cudnn::engines_precompiled::nchwToNhwcKernel<float>(T1)").layout);
  EXPECT_TRUE(kind_of_kernel("input_transpose_fusion").layout);
  EXPECT_FALSE(
      kind_of_kernel("void cusparse::csrmv_v3_transpose_kernel<int, int, float>(T1)").layout);
}

}  // namespace
}  // namespace prof::insight
