// The types of the numbers that operators compute with, found from the names of their kernels.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::operators {

enum class ElementType : std::uint8_t {
  kUnknown,
  kFp64,
  kFp32,
  kTf32,  // FP32 in memory, multiplied by tensor cores
  kBf16,
  kFp16,
  kFp8,
  kFp4,
  kInt8,
  kCount,
};

// Returns "fp32", "bf16", …, or an empty text if the type is unknown.
const char* name_of(ElementType type);

// Returns the bytes of two elements, because two FP4 elements are in one byte. 0: unknown.
std::int64_t bytes_of_two(ElementType type);

// Returns the type of a kernel's operands by its demangled name. Kernels of cuBLAS, cuDNN and
// CUTLASS have it in words ("bf16", "s1688", "nvjet_tst"), PyTorch's in template arguments.
ElementType element_type_of(std::string_view kernel);

}  // namespace prof::operators
