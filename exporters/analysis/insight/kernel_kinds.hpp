// Classifies kernels by their names, as CUDA's libraries, CUTLASS, PyTorch, XLA and NCCL name them.
// Kernels with other names are in the family "other".
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::insight {

enum class TensorCores : std::uint8_t {
  kUsed,
  kEligible,  // a matrix product or convolution that runs on the ordinary cores
  kNo,
};

// Returns "yes", "eligible" or "no".
const char* name_of(TensorCores use);

struct KernelKind {
  bool communication = false;  // communicates between GPUs: NCCL, NVSHMEM and similar libraries
  bool layout = false;         // only reorders values: NCHW to NHWC, a transposition
  TensorCores tensor_cores = TensorCores::kNo;
  const char* family = "other";  // name of the library, the code generator or the operation
};

// Classifies a kernel by its demangled name.
KernelKind kind_of_kernel(std::string_view name);

}  // namespace prof::insight
