// Operators that do the same for each element: elementwise ones, copies and steps of optimizers.
#include "exporters/analysis/operators/work/formulas.hpp"

namespace prof::operators {

namespace {

// Reads its arguments, which are broadcast, and writes the result. Special functions such as exp
// count as one operation.
template <int kFlops>
void pointwise(const OperatorArguments& in, Work& work) {
  const Amount result = broadcast_elements(in);
  set_vector_work(Amount(kFlops) * result, all_elements(in) + result, work);
}

// The result also has a mask of one byte for each element.
void dropout(const OperatorArguments& in, Work& work) {
  pointwise<1>(in, work);
  work.other_bytes = elements_of(argument(in, 0)).value().value_or(0);
}
// The second argument is the mask.
void dropout_backward(const OperatorArguments& in, Work& work) {
  const Amount elements = elements_of(argument(in, 0));
  set_vector_work(elements, Amount(2) * elements, work);
  work.other_bytes = elements_of(argument(in, 1)).value().value_or(0);
}

// The first argument is a condition of one byte for each element.
void where(const OperatorArguments& in, Work& work) {
  const Amount condition = elements_of(argument(in, 0));
  const Amount result = broadcast_elements(in);
  const Amount values = elements_of(argument(in, 1)) + elements_of(argument(in, 2));
  set_vector_work(0, values + result, work);
  work.other_bytes = condition.value().value_or(0);
}

// The second argument is a mask of one byte for each element.
void masked_fill(const OperatorArguments& in, Work& work) {
  const Amount result = broadcast_elements(in);
  set_vector_work(0, elements_of(argument(in, 0)) + result, work);
  work.other_bytes = elements_of(argument(in, 1)).value().value_or(0);
}

// Reads and writes each element of its arguments.
void move(const OperatorArguments& in, Work& work) {
  set_vector_work(0, Amount(2) * all_elements(in), work);
}

// Reads the second argument, the source, and writes the first one.
void copy(const OperatorArguments& in, Work& work) {
  set_vector_work(0, elements_of(argument(in, 0)) + elements_of(argument(in, 1)), work);
}

void fill(const OperatorArguments& in, Work& work) {
  set_vector_work(0, elements_of(argument(in, 0)), work);
}

void nothing(const OperatorArguments&, Work& work) { set_vector_work(0, 0, work); }

// The arguments of foreach operators are lists of tensors, one after the other. Returns the length
// of a list if there are `lists` lists of the same shapes, else 0.
std::size_t length_of_lists(const std::vector<const Shape*>& tensors, std::size_t lists) {
  if (tensors.empty() || tensors.size() % lists != 0) return 0;
  const std::size_t length = tensors.size() / lists;
  for (std::size_t i = length; i < tensors.size(); ++i)
    if (*tensors[i] != *tensors[i - length]) return 0;
  return length;
}

struct Lists {
  Amount first = 0;  // elements of the first list
  std::size_t count = 1;
};
// Finds the most lists of at most `most`, and not fewer than `least`.
Lists lists_of(const OperatorArguments& in, std::size_t most, std::size_t least) {
  std::vector<const Shape*> tensors;
  for (const Shape& shape : in.shapes)
    if (!shape.empty()) tensors.push_back(&shape);
  for (std::size_t lists = most; lists >= least; --lists) {
    const std::size_t length = length_of_lists(tensors, lists);
    if (length == 0) continue;
    Lists found{0, lists};
    for (std::size_t i = 0; i < length; ++i) found.first = found.first + product_of(*tensors[i]);
    return found;
  }
  return {Amount::unknown(), least};
}

template <int kFlops>
void foreach (const OperatorArguments& in, Work & work) {
  const Lists lists = lists_of(in, 3, 1);
  set_vector_work(Amount(kFlops) * lists.first,
                  (Amount(static_cast<std::int64_t>(lists.count)) + 1) * lists.first, work);
}

// Reads parameters, gradients and two moments, writes all but the gradients. With amsgrad there is
// a fifth list. If the lists have equal shapes, four are more likely than five.
void fused_adam(const OperatorArguments& in, Work& work) {
  Lists lists = lists_of(in, 4, 4);
  if (!lists.first.value()) lists = lists_of(in, 5, 5);
  set_vector_work(Amount(12) * lists.first, Amount(lists.count == 4 ? 7 : 9) * lists.first, work);
}

// Reads parameters, gradients and, with momentum, a third list. Writes all but the gradients.
void fused_sgd(const OperatorArguments& in, Work& work) {
  const Lists lists = lists_of(in, 3, 2);
  set_vector_work(Amount(lists.count == 3 ? 4 : 2) * lists.first,
                  Amount(lists.count == 3 ? 5 : 3) * lists.first, work);
}

constexpr const char* kCopy = "copy";
constexpr const char* kOptimizer = "optimizer";

constexpr OperatorRule kPointwiseRules[] = {
    {"abs", kElementwise, pointwise<1>},
    {"add", kElementwise, pointwise<1>},
    {"addcdiv", kElementwise, pointwise<3>},
    {"addcmul", kElementwise, pointwise<3>},
    {"bitwise_and", kElementwise, pointwise<0>},
    {"bitwise_not", kElementwise, pointwise<0>},
    {"bitwise_or", kElementwise, pointwise<0>},
    {"ceil", kElementwise, pointwise<1>},
    {"clamp", kElementwise, pointwise<1>},
    {"clamp_max", kElementwise, pointwise<1>},
    {"clamp_min", kElementwise, pointwise<1>},
    {"cos", kElementwise, pointwise<1>},
    {"div", kElementwise, pointwise<1>},
    {"dropout", kElementwise, dropout},
    {"elu", kElementwise, pointwise<1>},
    {"elu_backward", kElementwise, pointwise<1>},
    {"eq", kElementwise, pointwise<1>},
    {"erf", kElementwise, pointwise<1>},
    {"exp", kElementwise, pointwise<1>},
    {"floor", kElementwise, pointwise<1>},
    {"floor_divide", kElementwise, pointwise<1>},
    {"fmod", kElementwise, pointwise<1>},
    {"ge", kElementwise, pointwise<1>},
    {"gelu", kElementwise, pointwise<1>},
    {"gelu_backward", kElementwise, pointwise<1>},
    {"gt", kElementwise, pointwise<1>},
    {"hardsigmoid", kElementwise, pointwise<1>},
    {"hardswish", kElementwise, pointwise<1>},
    {"hardswish_backward", kElementwise, pointwise<1>},
    {"hardtanh", kElementwise, pointwise<1>},
    {"hardtanh_backward", kElementwise, pointwise<1>},
    {"isfinite", kElementwise, pointwise<1>},
    {"isinf", kElementwise, pointwise<1>},
    {"isnan", kElementwise, pointwise<1>},
    {"le", kElementwise, pointwise<1>},
    {"leaky_relu", kElementwise, pointwise<1>},
    {"leaky_relu_backward", kElementwise, pointwise<1>},
    {"lerp", kElementwise, pointwise<3>},
    {"log", kElementwise, pointwise<1>},
    {"log1p", kElementwise, pointwise<1>},
    {"log2", kElementwise, pointwise<1>},
    {"logical_and", kElementwise, pointwise<0>},
    {"logical_not", kElementwise, pointwise<0>},
    {"logical_or", kElementwise, pointwise<0>},
    {"lt", kElementwise, pointwise<1>},
    {"masked_fill", kElementwise, masked_fill},
    {"maximum", kElementwise, pointwise<1>},
    {"minimum", kElementwise, pointwise<1>},
    {"mish", kElementwise, pointwise<1>},
    {"mish_backward", kElementwise, pointwise<1>},
    {"mul", kElementwise, pointwise<1>},
    {"native_dropout", kElementwise, dropout},
    {"native_dropout_backward", kElementwise, dropout_backward},
    {"ne", kElementwise, pointwise<1>},
    {"neg", kElementwise, pointwise<1>},
    {"pow", kElementwise, pointwise<1>},
    {"reciprocal", kElementwise, pointwise<1>},
    {"relu", kElementwise, pointwise<1>},
    {"remainder", kElementwise, pointwise<1>},
    {"round", kElementwise, pointwise<1>},
    {"rsqrt", kElementwise, pointwise<1>},
    {"rsub", kElementwise, pointwise<1>},
    {"sigmoid", kElementwise, pointwise<1>},
    {"sigmoid_backward", kElementwise, pointwise<1>},
    {"sign", kElementwise, pointwise<1>},
    {"silu", kElementwise, pointwise<1>},
    {"silu_backward", kElementwise, pointwise<1>},
    {"sin", kElementwise, pointwise<1>},
    {"softplus", kElementwise, pointwise<1>},
    {"softplus_backward", kElementwise, pointwise<1>},
    {"sqrt", kElementwise, pointwise<1>},
    {"square", kElementwise, pointwise<1>},
    {"sub", kElementwise, pointwise<1>},
    {"tanh", kElementwise, pointwise<1>},
    {"tanh_backward", kElementwise, pointwise<1>},
    {"threshold", kElementwise, pointwise<1>},
    {"threshold_backward", kElementwise, pointwise<1>},
    {"where", kElementwise, where},
    {"_foreach_add", kElementwise, foreach<1>},
    {"_foreach_addcdiv", kElementwise, foreach<3>},
    {"_foreach_addcmul", kElementwise, foreach<3>},
    {"_foreach_div", kElementwise, foreach<1>},
    {"_foreach_lerp", kElementwise, foreach<3>},
    {"_foreach_mul", kElementwise, foreach<1>},
    {"_foreach_neg", kElementwise, foreach<1>},
    {"_foreach_sqrt", kElementwise, foreach<1>},
    {"_foreach_sub", kElementwise, foreach<1>},
    {"_amp_foreach_non_finite_check_and_unscale", kElementwise, foreach<1>},
    {"cat", kCopy, move},
    {"clone", kCopy, move},
    {"constant_pad_nd", kCopy, move},
    {"contiguous", kCopy, move},
    {"copy", kCopy, copy},
    {"fill", kCopy, fill},
    {"flip", kCopy, move},
    {"item", kCopy, nothing},
    {"_local_scalar_dense", kCopy, nothing},
    {"ones_like", kCopy, fill},
    {"roll", kCopy, move},
    {"stack", kCopy, move},
    {"_to_copy", kCopy, move},
    {"zero", kCopy, fill},
    {"zeros_like", kCopy, fill},
    {"_foreach_copy", kCopy, foreach<0>},
    {"_foreach_zero", kCopy, foreach<0>},
    {"_fused_adam", kOptimizer, fused_adam},
    {"_fused_adamw", kOptimizer, fused_adam},
    {"_fused_sgd", kOptimizer, fused_sgd},
};

}  // namespace

std::span<const OperatorRule> pointwise_rules() { return kPointwiseRules; }

}  // namespace prof::operators
