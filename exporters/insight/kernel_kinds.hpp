// What a kernel does, as far as its name tells. The names are those that CUDA's libraries, CUTLASS,
// PyTorch, XLA and NCCL give their kernels; a name that tells nothing is an "other" kernel.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::insight {

enum class TensorCores : std::uint8_t {
  kUsed,
  kEligible,  // a matrix product or convolution on the ordinary cores, which the tensor cores could
              // do
  kNo,
};

struct KernelKind {
  bool communication = false;  // between GPUs: NCCL, NVSHMEM and the like
  bool layout = false;  // only moves values into another order: NCHW to NHWC, a transposition
  TensorCores tensor_cores = TensorCores::kNo;
  const char* family = "other";  // the library or generator it is from, or the operation
};

// `name`: demangled.
KernelKind kind_of_kernel(std::string_view name);

}  // namespace prof::insight
