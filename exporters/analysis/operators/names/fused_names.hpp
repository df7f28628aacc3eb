// The operators in the names of kernels that compilers make: PyTorch's Inductor and XLA.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prof::operators {

struct FusedName {
  std::string operators;  // "aten::add + aten::relu", "add + multiply"
  const char* category;   // as in Work
  bool is_backward;       // one of the operators belongs to a backward pass
};

// Inductor puts the names of the operators into those of its kernels, sorted and joined by
// underscores: "triton_poi_fused_add_relu_0". It may leave some out. Names of operators have
// underscores, too, so the parts are compared with the operators that are known.
std::optional<FusedName> parse_inductor_name(std::string_view kernel);

// Removes operators that multiply matrices from "aten::relu + aten::convolution_backward", unless
// there are no others. A kernel that is not a template only prepares their arguments.
std::string without_products(std::string_view operators);

// XLA names a kernel after its HLO instruction: "loop_add_multiply_fusion_3",
// "input_reduce_fusion".
std::optional<FusedName> parse_xla_name(std::string_view kernel);

}  // namespace prof::operators
