// Reductions, softmax, norms, losses, indexing and pooling.
#include <algorithm>

#include "exporters/analysis/operators/work/formulas.hpp"

namespace prof::operators {

namespace {

constexpr std::int64_t kIndexBytes = 8;

Amount output_elements(const OperatorArguments& in) {
  return in.output == nullptr ? Amount(0) : elements_of(*in.output);
}

// One operation for each element of its arguments. The result is smaller; it counts if its shape is
// known.
void reduction(const OperatorArguments& in, Work& work) {
  const Amount elements = all_elements(in);
  set_vector_work(elements, elements + output_elements(in), work);
}

// kFlops operations for each element of the largest argument, and kTensors tensors of its size that
// are read or written.
template <int kFlops, int kTensors>
void norm(const OperatorArguments& in, Work& work) {
  Amount largest = 0;
  for (const Shape& shape : in.shapes) {
    const Amount elements = elements_of(shape);
    if (!elements.value() || *elements.value() > largest.value().value_or(INT64_MAX))
      largest = elements;
  }
  set_vector_work(Amount(kFlops) * largest, Amount(kTensors) * largest, work);
}

// Arguments: table, indices. Only the rows that are asked for are read.
void embedding(const OperatorArguments& in, Work& work) {
  const Shape& table = argument(in, 0);
  if (table.size() != 2) return;
  const Amount indices = elements_of(argument(in, 1));
  set_vector_work(0, Amount(2) * indices * table[1], work);
  work.other_bytes = (Amount(kIndexBytes) * indices).value().value_or(0);
}

// Arguments: gradient, indices. Each row of the gradient is added to a row of the table.
void embedding_backward(const OperatorArguments& in, Work& work) {
  const Amount gradient = elements_of(argument(in, 0));
  set_vector_work(gradient, Amount(2) * gradient, work);
  work.other_bytes = (Amount(kIndexBytes) * elements_of(argument(in, 1))).value().value_or(0);
}

// Reads and writes each element of the result, whose shape the indices alone do not tell.
void selection(const OperatorArguments& in, Work& work) {
  work.matrix_flops = 0;
  work.vector_flops = 0;
  if (in.output != nullptr) work.elements = (Amount(2) * elements_of(*in.output)).value();
}

// Arguments: table, dimension, indices. The result has the shape of the indices.
void gather(const OperatorArguments& in, Work& work) {
  const Amount indices = elements_of(argument(in, 2));
  set_vector_work(0, Amount(2) * indices, work);
  work.other_bytes = (Amount(kIndexBytes) * indices).value().value_or(0);
}

// The number of operations depends on the window, which is not known.
void pooling(const OperatorArguments& in, Work& work) {
  work.matrix_flops = 0;
  work.elements = (elements_of(argument(in, 0)) + output_elements(in)).value();
}

// Each element of the input is in one window.
void adaptive_pooling(const OperatorArguments& in, Work& work) {
  const Amount input = elements_of(argument(in, 0));
  set_vector_work(input, input + output_elements(in), work);
}

// Arguments: gradient, input, …, indices of the greatest elements.
void max_pooling_backward(const OperatorArguments& in, Work& work) {
  const Amount gradient = elements_of(argument(in, 0));
  set_vector_work(gradient, gradient + elements_of(argument(in, 1)), work);
  if (!in.shapes.empty())
    work.other_bytes = (Amount(kIndexBytes) * elements_of(in.shapes.back())).value().value_or(0);
}

template <int kFlops>
void loss(const OperatorArguments& in, Work& work) {
  set_vector_work(Amount(kFlops) * broadcast_elements(in), all_elements(in), work);
}

// Arguments: logarithms of probabilities [rows, classes], classes [rows]. One element of a row is
// read.
void nll_loss(const OperatorArguments& in, Work& work) {
  const Amount rows = elements_of(argument(in, 1));
  set_vector_work(rows, rows, work);
  work.other_bytes = (Amount(kIndexBytes) * rows).value().value_or(0);
}

// The second argument has the shape of the result.
void nll_loss_backward(const OperatorArguments& in, Work& work) {
  const Amount rows = elements_of(argument(in, 2));
  set_vector_work(rows, elements_of(argument(in, 1)), work);
  work.other_bytes = (Amount(kIndexBytes) * rows).value().value_or(0);
}

constexpr const char* kSoftmax = "softmax";
constexpr const char* kNorm = "normalization";
constexpr const char* kLoss = "loss";
constexpr const char* kIndexing = "indexing";
constexpr const char* kPooling = "pooling";

constexpr OperatorRule kOtherRules[] = {
    {"all", kReduction, reduction, true},
    {"amax", kReduction, reduction, true},
    {"amin", kReduction, reduction, true},
    {"any", kReduction, reduction, true},
    {"argmax", kReduction, reduction, true},
    {"argmin", kReduction, reduction, true},
    {"count_nonzero", kReduction, reduction, true},
    {"linalg_vector_norm", kReduction, reduction, true},
    {"logsumexp", kReduction, reduction, true},
    {"max", kReduction, reduction, true},
    {"mean", kReduction, reduction, true},
    {"min", kReduction, reduction, true},
    {"norm", kReduction, reduction, true},
    {"prod", kReduction, reduction, true},
    {"std", kReduction, reduction, true},
    {"sum", kReduction, reduction, true},
    {"var", kReduction, reduction, true},
    {"var_mean", kReduction, reduction, true},
    {"_foreach_norm", kReduction, reduction},
    {"_softmax", kSoftmax, norm<5, 2>},
    {"_log_softmax", kSoftmax, norm<5, 2>},
    {"_softmax_backward_data", kSoftmax, norm<4, 3>},
    {"_log_softmax_backward_data", kSoftmax, norm<4, 3>},
    {"batch_norm", kNorm, norm<5, 2>},
    {"native_batch_norm", kNorm, norm<5, 2>},
    {"cudnn_batch_norm", kNorm, norm<5, 2>},
    {"_batch_norm_with_update", kNorm, norm<5, 2>},
    {"_native_batch_norm_legit", kNorm, norm<5, 2>},
    {"_native_batch_norm_legit_no_training", kNorm, norm<2, 2>},
    {"_batch_norm_no_update", kNorm, norm<2, 2>},
    {"native_layer_norm", kNorm, norm<5, 2>},
    {"native_group_norm", kNorm, norm<5, 2>},
    {"_fused_rms_norm", kNorm, norm<4, 2>},
    {"rms_norm", kNorm, norm<4, 2>},
    {"native_batch_norm_backward", kNorm, norm<8, 3>},
    {"cudnn_batch_norm_backward", kNorm, norm<8, 3>},
    {"batch_norm_backward", kNorm, norm<8, 3>},
    {"native_layer_norm_backward", kNorm, norm<8, 3>},
    {"native_group_norm_backward", kNorm, norm<8, 3>},
    {"_fused_rms_norm_backward", kNorm, norm<8, 3>},
    {"mse_loss", kLoss, loss<3>},
    {"mse_loss_backward", kLoss, norm<3, 3>},
    {"smooth_l1_loss", kLoss, loss<3>},
    {"smooth_l1_loss_backward", kLoss, norm<3, 3>},
    {"binary_cross_entropy", kLoss, loss<5>},
    {"binary_cross_entropy_with_logits", kLoss, loss<5>},
    {"nll_loss_forward", kLoss, nll_loss},
    {"nll_loss_backward", kLoss, nll_loss_backward},
    {"nll_loss2d_forward", kLoss, nll_loss},
    {"nll_loss2d_backward", kLoss, nll_loss_backward},
    {"embedding", kIndexing, embedding},
    {"embedding_dense_backward", kIndexing, embedding_backward},
    {"gather", kIndexing, gather},
    {"index", kIndexing, selection, true},
    {"index_select", kIndexing, selection, true},
    {"masked_select", kIndexing, selection, true},
    {"nonzero", kIndexing, nullptr},
    {"scatter", kIndexing, gather},
    {"scatter_add", kIndexing, nullptr},
    {"index_put", kIndexing, nullptr},
    {"_index_put_impl", kIndexing, nullptr},
    {"topk", kIndexing, nullptr},
    {"sort", kIndexing, nullptr},
    {"max_pool2d_with_indices", kPooling, pooling, true},
    {"max_pool3d_with_indices", kPooling, pooling, true},
    {"avg_pool2d", kPooling, pooling, true},
    {"avg_pool3d", kPooling, pooling, true},
    {"adaptive_avg_pool2d", kPooling, adaptive_pooling, true},
    {"_adaptive_avg_pool2d", kPooling, adaptive_pooling, true},
    {"max_pool2d_with_indices_backward", kPooling, max_pooling_backward},
    {"_adaptive_avg_pool2d_backward", kPooling, norm<1, 2>},
};

}  // namespace

std::span<const OperatorRule> other_rules() { return kOtherRules; }

}  // namespace prof::operators
