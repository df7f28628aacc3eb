// Matrix products, and recurrent networks of cuDNN, which are matrix products too.
#include "exporters/analysis/operators/work/formulas.hpp"

namespace prof::operators {

namespace {

// 2 * M * N * K operations for each product. Both matrices are read, and the result is written.
void set_product(const Amount& batch, const Amount& m, const Amount& n, const Amount& k,
                 Work& work) {
  work.matrix_flops = (Amount(2) * batch * m * n * k).value();
  work.vector_flops = 0;
  work.elements = (batch * (m * k + k * n + m * n)).value();
  if (work.matrix_flops && *work.matrix_flops > 0)
    work.product = {*m.value(), *n.value(), *k.value(), *batch.value()};
}

// Adds the addition of a bias or a matrix, which is an argument.
void add_bias(const OperatorArguments& in, std::size_t bias, Work& work) {
  const Shape& shape = argument(in, bias);
  if (shape.empty() || !work.product) return;
  const MatrixProduct& product = *work.product;
  work.vector_flops = (Amount(product.batch) * product.m * product.n).value();
  if (work.elements) work.elements = (Amount(*work.elements) + elements_of(shape)).value();
}

template <std::size_t kFirst>
void two_matrices(const OperatorArguments& in, Work& work) {
  const Shape& a = argument(in, kFirst);
  const Shape& b = argument(in, kFirst + 1);
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0]) return;
  set_product(1, a[0], b[1], a[1], work);
  if (kFirst > 0) add_bias(in, 0, work);
}

template <std::size_t kFirst>
void two_batches(const OperatorArguments& in, Work& work) {
  const Shape& a = argument(in, kFirst);
  const Shape& b = argument(in, kFirst + 1);
  if (a.size() != 3 || b.size() != 3 || a[0] != b[0] || a[2] != b[1]) return;
  set_product(a[0], a[1], b[2], a[2], work);
  if (kFirst > 0) add_bias(in, 0, work);
}

// Linear layer: input [..., K], weight [N, K], bias [N].
void linear(const OperatorArguments& in, Work& work) {
  const Shape& input = argument(in, 0);
  const Shape& weight = argument(in, 1);
  if (input.empty() || weight.size() != 2 || input.back() != weight[1]) return;
  Amount rows = 1;
  for (std::size_t i = 0; i + 1 < input.size(); ++i) rows = rows * input[i];
  set_product(1, rows, weight[0], weight[1], work);
  add_bias(in, 2, work);
}

// Batches may be broadcast. Two vectors, or a vector and a matrix, are no matrix product for
// torch.utils.flop_counter, so their work is vector work.
void matmul(const OperatorArguments& in, Work& work) {
  const Shape& a = argument(in, 0);
  const Shape& b = argument(in, 1);
  if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2]) return;
  if (b.size() == 2) {
    Amount rows = 1;
    for (std::size_t i = 0; i + 1 < a.size(); ++i) rows = rows * a[i];
    return set_product(1, rows, b[1], b[0], work);
  }
  const Shape batches[] = {Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2)};
  const Amount batch = broadcast_elements({.name = {}, .shapes = batches});
  const std::int64_t m = a[a.size() - 2];
  const std::int64_t n = b.back();
  const std::int64_t k = a.back();
  set_product(batch, m, n, k, work);
  work.elements = (elements_of(a) + elements_of(b) + batch * m * n).value();
}

// A product for each expert. The sizes of the groups do not matter: each row is in one group.
void grouped(const OperatorArguments& in, Work& work) {
  const Shape& a = argument(in, 0);
  const Shape& b = argument(in, 1);
  if (a.size() == 3 && b.size() == 3) return two_batches<0>(in, work);
  if (a.size() == 2 && b.size() == 3 && a[1] == b[1]) {  // rows of A in groups
    set_product(1, a[0], b[2], a[1], work);
    work.elements = (elements_of(a) + elements_of(b) + Amount(a[0]) * b[2]).value();
  } else if (a.size() == 2 && b.size() == 2 && a[1] == b[0]) {  // columns of A in groups
    set_product(1, a[0], b[1], a[1], work);
    work.elements = (elements_of(a) + elements_of(b)).value();
  }
  work.product.reset();  // the groups are smaller than the whole
}

template <std::size_t kMatrix>
void matrix_and_vector(const OperatorArguments& in, Work& work) {
  const Shape& matrix = argument(in, kMatrix);
  const Shape& vector = argument(in, kMatrix + 1);
  if (matrix.size() != 2 || vector.size() != 1 || matrix[1] != vector[0]) return;
  work.matrix_flops = 0;
  work.vector_flops = (Amount(2) * matrix[0] * matrix[1]).value();
  work.elements = (elements_of(matrix) + vector[0] + matrix[0]).value();
}

void two_vectors(const OperatorArguments& in, Work& work) {
  const Shape& vector = argument(in, 0);
  if (vector.size() != 1) return;
  work.matrix_flops = 0;
  work.vector_flops = (Amount(2) * vector[0]).value();
  work.elements = (Amount(2) * vector[0]).value();
}

// Each matrix of weights is multiplied once for each sequence and time step: the first argument is
// [time, batch, inputs], the weights follow. A backward pass has two products for each.
template <int kProducts>
void recurrent(const OperatorArguments& in, Work& work) {
  const Shape& input = argument(in, 0);
  if (input.size() != 3) return;
  Amount weights = 0;
  for (const Shape& shape : in.shapes)
    if (shape.size() == 2) weights = weights + product_of(shape);
  work.matrix_flops = (Amount(2 * kProducts) * input[0] * input[1] * weights).value();
}

constexpr OperatorRule kProductRules[] = {
    {"mm", kProduct, two_matrices<0>},
    {"_int_mm", kProduct, two_matrices<0>},
    {"_scaled_mm", kProduct, two_matrices<0>},
    {"addmm", kProduct, two_matrices<1>},
    {"_addmm_activation", kProduct, two_matrices<1>},
    {"bmm", kProduct, two_batches<0>},
    {"baddbmm", kProduct, two_batches<1>},
    {"linear", kProduct, linear},
    {"matmul", kProduct, matmul},
    {"_grouped_mm", kProduct, grouped},
    {"_scaled_grouped_mm", kProduct, grouped},
    {"mv", kProduct, matrix_and_vector<0>},
    {"addmv", kProduct, matrix_and_vector<1>},
    {"dot", kProduct, two_vectors},
    {"vdot", kProduct, two_vectors},
    {"_cudnn_rnn", kRecurrent, recurrent<1>},
    {"_cudnn_rnn_backward", kRecurrent, recurrent<2>},
};

}  // namespace

std::span<const OperatorRule> product_rules() { return kProductRules; }

}  // namespace prof::operators
