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

// `elements`: for how many elements the kernel runs. The graph of a kernel also has operators that
// another kernel computed, if their results are used. Those with more elements do not count, nor
// do reductions in a kernel without (`is_pointwise`).
GraphWork work_of_graph(std::string_view graph, const std::optional<std::int64_t>& elements,
                        bool is_pointwise);

// The same for an operator of PyTorch that a compiled function calls. It has its own traffic.
GraphWork work_of_called(const GraphOperator& called);

}  // namespace prof::operators
