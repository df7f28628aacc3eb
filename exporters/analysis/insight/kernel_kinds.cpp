#include "exporters/analysis/insight/kernel_kinds.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "common/base/letters.hpp"

namespace prof::insight {

namespace {

bool has_any(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

bool is_communication(std::string_view name) {
  return has_any(name, {"nccl", "nvshmem", "all_reduce", "allreduce", "cross_device_reduce",
                        "reduce_scatter", "reducescatter", "all_gather", "allgather", "alltoall",
                        "all_to_all", "deep_ep::", "userbuffers"});
}

bool is_layout(std::string_view name) {
  return has_any(name, {"nchwtonhwc", "nhwctonchw", "convert_nchw", "nchw_to_nhwc", "nhwc_to_nchw",
                        "transpose_readwrite", "tensortransformgeneric", "kerneltensortransform",
                        "transposekernel", "transpose_kernel", "input_transpose", "loop_transpose",
                        "wrapped_transpose"}) &&
         !has_any(name, {"csrmv", "coomv"});  // sparse products with a transposed matrix
}

// True for helper kernels: they have the name of an operation, but only prepare or finish it, or
// are pointwise parts fused with it.
bool is_helper(std::string_view name) {
  return has_any(name, {"offsetskernel",
                        "gemm_pointers",
                        "gemm_starts",
                        "grouped_gemm_data",
                        "gemm_to_sparse",
                        "gemmbias",
                        "computestrides",
                        "convert_dq",
                        "dot_do_o",
                        "splitkv_combine",
                        "flashattnbwdpre",
                        "flashattnbwdpost",
                        "flashattnfwdcombine",
                        "flash_bwd_preprocess",
                        "flash_bwd_postprocess",
                        "repack",
                        "workspace_kernel",
                        "::split_k_kernel",
                        "generatewinogradtiles",
                        "triton_poi_",
                        "triton_red_",
                        "triton_per_",
                        "triton_for_"});
}

// True if the name contains a tensor core instruction, or belongs to a kernel that is built with
// one.
bool uses_tensor_cores(std::string_view name) {
  return has_any(name, {"h884",         "s884",      "i8816",      "h1688",       "s1688",
                        "16816",        "16832",     "161616",     "d884",        "hmma",
                        "imma",         "gmma",      "tcgen05",    "tensorop",    "tensor16x8",
                        "tensor8x8",    "sm75_16x8", "sm80_16x8",  "tf32",        "wmma",
                        "nvjet",        "flash_fwd", "flash_bwd",  "flash::",     "fmha",
                        "_sdpa_",       "marlin",    "triton_tem", "gemm_fusion", "batchprefill",
                        "singleprefill"});
}

// True for a kernel of CUTLASS or xmma (cuDNN, cuBLAS) that multiplies on the ordinary cores.
bool is_simt(std::string_view name) {
  if (has_any(name, {"fmha_cutlass"}))
    return has_any(name, {"_sm50"}) || (has_any(name, {"_f32_"}) && has_any(name, {"_sm7"}));
  return has_any(name, {"_simt_", "mmasimt", "_ffma_", "_hfma2_"});
}

bool is_matrix_product(std::string_view name) {
  return has_any(name, {"gemm", "matmul", "fmha"}) && !has_any(name, {"gemv", "gemmk1_"});
}

bool is_convolution(std::string_view name) {
  return has_any(name, {"convolve", "convolution", "fprop", "dgrad", "wgrad", "scudnn", "winograd",
                        "conv2d", "conv3d", "implicit_con"}) &&
         !has_any(name,
                  {"depthwise",
                   "grouped_direct"});  // these kernels compute too few products for each value
}

// True for xmma kernels of cuDNN and cuBLAS that use tensor cores. Their names contain the types of
// the operands, such as "f16f16_f16f16_f16". Kernels with "f32f32" multiply on the ordinary cores.
bool is_xmma_with_tensor_cores(std::string_view name) {
  return has_any(name, {"xmma"}) &&
         has_any(name, {"f16f16", "bf16bf16", "i8i8", "e4m3", "e5m2", "f16f32"});
}

const char* family_of(std::string_view name, bool communication) {
  struct Family {
    const char* word;
    const char* name;
  };
  static constexpr Family kFamilies[] = {{"nccl", "NCCL"},
                                         {"nvshmem", "NVSHMEM"},
                                         {"nvjet", "cuBLAS (nvjet)"},
                                         {"flashinfer", "FlashInfer"},
                                         {"_sdpa_", "cuDNN"},
                                         {"flash_", "FlashAttention"},
                                         {"flash::", "FlashAttention"},
                                         {"fmha", "attention"},
                                         {"xmma", "cuDNN/cuBLAS (xmma)"},
                                         {"cutlass", "CUTLASS"},
                                         {"cudnn", "cuDNN"},
                                         {"cask", "cuDNN"},
                                         {"cublas", "cuBLAS"},
                                         {"splitkreduce", "cuBLAS"},
                                         {"cusparse", "cuSPARSE"},
                                         {"triton_", "Triton"},
                                         {"wmma", "WMMA"},
                                         {"gemm", "GEMM"},
                                         {"winograd", "convolution"},
                                         {"convolve", "convolution"},
                                         {"conv2d", "convolution"},
                                         {"at::native", "PyTorch"},
                                         {"cub::", "CUB"},
                                         {"thrust::", "Thrust"},
                                         {"cupy_", "CuPy"},
                                         {"_fusion", "XLA"}};
  const auto* found = std::find_if(
      std::begin(kFamilies), std::end(kFamilies),
      [&](const Family& each) { return name.find(each.word) != std::string_view::npos; });
  if (found != std::end(kFamilies)) return found->name;
  return communication ? "communication" : "other";
}

}  // namespace

const char* name_of(TensorCores use) {
  switch (use) {
    case TensorCores::kUsed:
      return "yes";
    case TensorCores::kEligible:
      return "eligible";
    case TensorCores::kNo:
      break;
  }
  return "no";
}

KernelKind kind_of_kernel(std::string_view name) {
  const std::string lower = base::to_lower(name);
  KernelKind kind;
  kind.communication = is_communication(lower);
  kind.layout = is_layout(lower);
  kind.family = family_of(lower, kind.communication);
  if (kind.communication || kind.layout || is_helper(lower)) return kind;
  if (!is_simt(lower) && (uses_tensor_cores(lower) || is_xmma_with_tensor_cores(lower)))
    kind.tensor_cores = TensorCores::kUsed;
  else if (is_matrix_product(lower) || is_convolution(lower))
    kind.tensor_cores = TensorCores::kEligible;
  return kind;
}

}  // namespace prof::insight
