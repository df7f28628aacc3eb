// How much work an operator is: floating-point operations, and the least memory traffic, from its
// name and the shapes of its arguments. docs/operators.md has the formulas.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "exporters/analysis/operators/names/range_text.hpp"
#include "exporters/analysis/operators/work/element_types.hpp"

namespace prof::operators {

// A matrix product C = A * B of matrices M x K and K x N.
struct MatrixProduct {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  std::int64_t batch;
};

// A multiplication and an addition are two operations. A number that is unknown is empty, not 0.
struct Work {
  const char* category = "other";
  std::optional<std::int64_t> matrix_flops = {};  // of products, convolutions and attention
  std::optional<std::int64_t> vector_flops = {};  // all others
  // Elements of the operator's type that are read and written at least: each tensor once.
  std::optional<std::int64_t> elements = {};
  std::int64_t other_bytes = 0;  // of indices and masks
  std::optional<MatrixProduct> product = {};

  // Returns the least traffic in bytes, or nothing if it is unknown.
  std::optional<std::int64_t> bytes(ElementType type) const;
};

struct OperatorArguments {
  std::string_view name;  // "aten::mm"
  std::span<const Shape> shapes;
  const Shape* output = nullptr;  // null: unknown
  bool is_transposed = false;     // a transposed convolution
  // Which results the backward pass of a convolution has.
  bool has_input_gradient = true;
  bool has_weight_gradient = true;
};

Work work_of(const OperatorArguments& arguments);

// Returns the category of an operator that has a rule, or null. The name may lack "aten::".
const char* category_of(std::string_view name);
// True if the work of this operator depends on the shape of its result.
bool needs_output(std::string_view name);
bool is_convolution(std::string_view name);
bool is_convolution_backward(std::string_view name);

}  // namespace prof::operators
