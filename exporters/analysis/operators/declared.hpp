// What the arguments of an operator say about it (--pytorch=operators).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "exporters/analysis/operators/names/range_text.hpp"
#include "exporters/analysis/operators/work/element_types.hpp"

namespace prof::operators {

// Which gradients the backward pass of a convolution computes.
struct Gradients {
  bool of_input = true;
  bool of_weight = true;
  bool operator==(const Gradients&) const = default;
};

struct Declared {
  ElementType type = ElementType::kUnknown;  // of the first tensor with numbers that are computed
  std::optional<Shape> result;               // of a convolution or a reduction
  std::optional<bool> is_transposed;         // of a convolution
  std::optional<Gradients> gradients;        // of the backward pass of a convolution
};

// `shapes` and `arguments` are those of the range's name. Without arguments nothing is declared.
Declared declared_by(std::string_view name, std::span<const Shape> shapes,
                     std::string_view arguments);

}  // namespace prof::operators
