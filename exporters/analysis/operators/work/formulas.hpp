// The formulas of work.hpp, by kind of operator.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "exporters/analysis/operators/work/amount.hpp"
#include "exporters/analysis/operators/work/work.hpp"

namespace prof::operators {

// Writes the work of an operator. Leaves unknown what the arguments do not tell.
using Formula = void (*)(const OperatorArguments& arguments, Work& work);

struct OperatorRule {
  std::string_view name;  // without "aten::", and without the underscore of operators in place
  const char* category;
  Formula formula;  // null: nothing is known but the category
  bool needs_output = false;
};

// The rules of each file.
std::span<const OperatorRule> product_rules();  // matrix products and recurrent networks
std::span<const OperatorRule> convolution_rules();
std::span<const OperatorRule> attention_rules();
std::span<const OperatorRule> pointwise_rules();  // elementwise, copies, optimizers
std::span<const OperatorRule> other_rules();      // reductions, norms, softmax, losses, indexing

// The categories that other code asks for.
inline constexpr const char* kProduct = "matrix product";
inline constexpr const char* kConvolution = "convolution";
inline constexpr const char* kAttention = "attention";
inline constexpr const char* kRecurrent = "recurrent network";
inline constexpr const char* kElementwise = "elementwise";
inline constexpr const char* kReduction = "reduction";
inline constexpr const char* kCommunication = "communication";

// True if operators of the category multiply matrices. It may be null.
bool has_products(const char* category);

// Returns an argument, or an empty shape if there is none.
const Shape& argument(const OperatorArguments& arguments, std::size_t index);
// Returns the number of elements of all arguments together.
Amount all_elements(const OperatorArguments& arguments);
// Returns the number of elements of the arguments broadcast to one shape.
Amount broadcast_elements(const OperatorArguments& arguments);

// Writes the work of an operator without matrix products.
void set_vector_work(const Amount& flops, const Amount& elements, Work& work);

}  // namespace prof::operators
