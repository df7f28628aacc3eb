#include "exporters/insight/kernel_kinds.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>

namespace prof::insight {

namespace {

bool has_any(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

bool is_communication(std::string_view name) {
  return has_any(name, {"nccl", "nvshmem", "all_reduce", "allreduce", "reduce_scatter",
                        "reducescatter", "all_gather", "allgather", "alltoall", "all_to_all"});
}

bool is_layout(std::string_view name) {
  return has_any(name, {"nchwtonhwc", "nhwctonchw", "convert_nchw", "nchw_to_nhwc", "nhwc_to_nchw",
                        "transpose_readwrite", "tensortransformgeneric", "kerneltensortransform",
                        "transposekernel", "transpose_kernel", "input_transpose", "loop_transpose",
                        "wrapped_transpose"});
}

// Names of the instructions, and of the kernels that are built around them.
bool uses_tensor_cores(std::string_view name) {
  return has_any(name, {"h884",      "s884",     "i8816", "h1688", "s1688", "16816",
                        "s161616",   "h161616",  "d884",  "hmma",  "imma",  "wgmma",
                        "gmma_",     "tensorop", "tf32",  "wmma",  "nvjet", "flash_fwd",
                        "flash_bwd", "flash::",  "fmha",  "marlin"});
}

bool is_matrix_product(std::string_view name) {
  return has_any(name, {"gemm", "matmul"}) && !has_any(name, {"gemv", "gemmk1_"});
}

bool is_convolution(std::string_view name) {
  return has_any(name, {"convolve", "convolution", "_fprop", "_dgrad", "_wgrad", "scudnn",
                        "winograd", "conv2d", "conv3d", "implicit_con"});
}

// cuDNN's and cuBLAS's xmma kernels name the types of their operands: "f16f16_f16f16_f16" and so
// on; only with "f32f32" do they multiply on the ordinary cores.
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
                                         {"flash", "FlashAttention"},
                                         {"fmha", "attention"},
                                         {"xmma", "cuDNN/cuBLAS (xmma)"},
                                         {"cutlass", "CUTLASS"},
                                         {"cudnn", "cuDNN"},
                                         {"cublas", "cuBLAS"},
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

KernelKind kind_of_kernel(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  KernelKind kind;
  kind.communication = is_communication(lower);
  kind.layout = is_layout(lower);
  kind.family = family_of(lower, kind.communication);
  if (kind.communication || kind.layout) return kind;
  if (uses_tensor_cores(lower) || is_xmma_with_tensor_cores(lower))
    kind.tensor_cores = TensorCores::kUsed;
  else if (is_matrix_product(lower) || is_convolution(lower))
    kind.tensor_cores = TensorCores::kEligible;
  return kind;
}

}  // namespace prof::insight
