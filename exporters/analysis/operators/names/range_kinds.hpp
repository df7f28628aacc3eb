// Tells from the name of an NVTX range whether it is an operator, a module or a step of an
// optimizer. The names are those of PyTorch's emit_nvtx, of prof's --pytorch=functions-trace and
// --pytorch=operators, and of XLA.
#pragma once

#include <cstdint>
#include <string_view>

#include "exporters/analysis/operators/names/range_text.hpp"

namespace prof::operators {

// The domain of the ranges of --pytorch=operators.
inline constexpr std::string_view kObservedDomain = "PyTorch operators";

enum class RangeKind : std::uint8_t {
  kOperator,      // "aten::mm, seq = 5, …"; "Thunk:#hlo_op=dot.5#" in the domain TSL
  kBackwardNode,  // "MmBackward0, seq = 5", "autograd::engine::evaluate_function: MmBackward0"
  kModule,        // "Linear.forward" in the domain PyTorch; "XlaModule:#hlo_module=jit_f#" in TSL
  kStep,          // "Optimizer.step#Adam.step"; "Adam.step" in the domain PyTorch
  kOther,
};

struct NamedRange {
  RangeKind kind;
  std::string_view name;  // as users know it: "aten::mm", "Linear", "Adam.step"
  RangeText text;         // set for operators and backward nodes
};
// `name` is a range's name with its domain: "PyTorch:Linear.forward", ":aten::mm, seq = 5".
NamedRange classify(std::string_view name);

}  // namespace prof::operators
