// The work of a kernel that a compiler made of several operators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "exporters/analysis/operators/work/element_types.hpp"
#include "exporters/analysis/operators/work/work.hpp"

namespace prof::operators {

// An operator in PROF_COMPILED_LAUNCHES.graphId:
// "aten::add, sizes = [[8, 512], []], arguments = [float32, 1] -> float32 [8, 512]". The texts are
// parts of the line.
struct GraphOperator {
  std::string_view name;
  std::string_view sizes;  // a tensor without known sizes is "?"
  std::string_view arguments;
  std::optional<Shape> result;
};
GraphOperator parse_graph_operator(std::string_view line);

struct GraphWork {
  Work work;
  ElementType type = ElementType::kUnknown;  // that in which it multiplies, else that of its input
};

// What a kernel can compute.
enum class GraphKernel : std::uint8_t {
  kPointwise,
  kReduction,  // and what kPointwise can
  kTemplate,   // matrix products, and all others
};
// `name` is that of the kernel: "triton_poi_fused_add_relu_0".
GraphKernel kind_of_graph_kernel(std::string_view name);

// `elements`: for how many elements the kernel runs. The graph of a kernel also has operators that
// another kernel computes: if it uses their results, or if it writes an argument of theirs in the
// order that they need. Those with more elements do not count, nor does what such a kernel cannot
// compute.
GraphWork work_of_graph(std::string_view graph, const std::optional<std::int64_t>& elements,
                        GraphKernel kernel);

// The same for an operator of PyTorch that a compiled function calls. It has its own traffic.
GraphWork work_of_called(const GraphOperator& called);

}  // namespace prof::operators
