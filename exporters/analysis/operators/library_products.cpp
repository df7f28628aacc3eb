#include "exporters/analysis/operators/library_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/operators/work/amount.hpp"
#include "exporters/analysis/operators/work/formulas.hpp"

namespace prof::operators {

namespace {

// The types of cudaDataType_t, by number.
struct DataType {
  std::int64_t bits;  // of an element; 0: unknown
  bool is_complex;
  ElementType type;
};
DataType data_type(std::int64_t number) {
  using enum ElementType;
  constexpr DataType kTypes[] = {
      {32, false, kFp32},    {64, false, kFp64},    {16, false, kFp16},    {8, false, kInt8},
      {64, true, kFp32},     {128, true, kFp64},    {32, true, kFp16},     {16, true, kInt8},
      {8, false, kInt8},     {16, true, kInt8},     {32, false, kUnknown}, {64, true, kUnknown},
      {32, false, kUnknown}, {64, true, kUnknown},  {16, false, kBf16},    {32, true, kBf16},
      {4, false, kUnknown},  {8, true, kUnknown},   {4, false, kUnknown},  {8, true, kUnknown},
      {16, false, kUnknown}, {32, true, kUnknown},  {16, false, kUnknown}, {32, true, kUnknown},
      {64, false, kUnknown}, {128, true, kUnknown}, {64, false, kUnknown}, {128, true, kUnknown},
      {8, false, kFp8},      {8, false, kFp8},      {8, false, kUnknown},  {6, false, kUnknown},
      {6, false, kUnknown},  {4, false, kFp4}};
  if (number < 0 || number >= std::ssize(kTypes)) return {0, false, kUnknown};
  return kTypes[number];
}

// The elements of the matrices, each matrix once.
struct Elements {
  Amount a;
  Amount b;
  Amount c;
};

// Returns the half of a square matrix that is read or written, with its diagonal.
Amount triangle(std::int64_t size) {
  const auto twice = (Amount(size) * (Amount(size) + 1)).value();
  return twice ? Amount(*twice / 2) : Amount::unknown();
}

Elements elements_of_matrices(const LibraryProduct& product) {
  const auto [m, n, k, batch] = product.size;
  const Amount result = Amount(m) * n;
  switch (product.kind) {
    case ProductKind::kGeneral:
    case ProductKind::kVector:
      break;
    case ProductKind::kSymmetric:
      return {triangle(k), result, result};
    case ProductKind::kRankK:
      return {Amount(m) * k, 0, triangle(n)};
    case ProductKind::kRankKx:
    case ProductKind::kRank2K:
      return {Amount(m) * k, Amount(n) * k, triangle(n)};
    case ProductKind::kTriangular:
    case ProductKind::kSolve:
      return {triangle(k) * batch, result * batch, result * batch};
  }
  return {Amount(m) * k * (product.is_a_shared ? 1 : batch),
          Amount(k) * n * (product.is_b_shared ? 1 : batch), result * batch};
}

// Returns the multiplications with an addition, of numbers that may be complex.
Amount multiplications(const LibraryProduct& product) {
  const auto [m, n, k, batch] = product.size;
  switch (product.kind) {
    case ProductKind::kGeneral:
    case ProductKind::kVector:
    case ProductKind::kSymmetric:
      break;
    case ProductKind::kRankK:
    case ProductKind::kRankKx:
      return triangle(n) * k;
    case ProductKind::kRank2K:
      return Amount(2) * triangle(n) * k;
    case ProductKind::kTriangular:
    case ProductKind::kSolve: {
      const auto twice = (Amount(m) * n * k * batch).value();
      return twice ? Amount((*twice + 1) / 2) : Amount::unknown();
    }
  }
  return Amount(m) * n * k * batch;
}

// cublasLtEpilogue_t has a bit for each operation on the result: bias, activations, gradients.
constexpr std::uint64_t kOfResult = 2 | 4 | 8 | 16 | 32 | 64;
constexpr std::uint64_t kBias = 4;
constexpr std::uint64_t kSumOfA = 256;
constexpr std::uint64_t kSumOfB = 512;

Amount flops_of_epilogue(const LibraryProduct& product, const Elements& elements) {
  const auto epilogue = static_cast<std::uint64_t>(product.epilogue);
  Amount flops = Amount(std::popcount(epilogue & kOfResult)) * elements.c;
  if ((epilogue & kSumOfA) != 0) flops = flops + elements.a;
  if ((epilogue & kSumOfB) != 0) flops = flops + elements.b;
  return flops;
}

Amount bits_of(const LibraryProduct& product, const Elements& elements) {
  const DataType types[] = {data_type(product.type_a), data_type(product.type_b),
                            data_type(product.type_c)};
  for (const DataType& type : types)
    if (type.bits == 0) return Amount::unknown();
  const bool has_bias = (static_cast<std::uint64_t>(product.epilogue) & kBias) != 0;
  const Amount bias = has_bias ? Amount(product.size.m) : Amount(0);
  return elements.a * types[0].bits + elements.b * types[1].bits +
         (elements.c + bias) * types[2].bits;
}

std::optional<std::int64_t> known_sum(const std::optional<std::int64_t>& a,
                                      const std::optional<std::int64_t>& b) {
  return a && b ? (Amount(*a) + *b).value() : std::nullopt;
}

char letter_of(std::int64_t operation) { return operation == 0 ? 'N' : operation == 1 ? 'T' : 'C'; }

}  // namespace

Work work_of(const LibraryProduct& product) {
  Work work{.category = kProduct};
  const Elements elements = elements_of_matrices(product);
  const std::int64_t real = data_type(product.type_a).is_complex ? 4 : 1;
  const Amount flops = Amount(2 * real) * multiplications(product);
  const Amount others = flops_of_epilogue(product, elements);
  const bool is_matrix = product.kind != ProductKind::kVector;
  work.matrix_flops = is_matrix ? flops.value() : 0;
  work.vector_flops = (is_matrix ? others : flops + others).value();
  if (const auto bits = bits_of(product, elements).value()) {
    work.elements = 0;
    work.other_bytes = (*bits + 7) / 8;
  }
  if (product.kind == ProductKind::kGeneral && flops.value().value_or(0) > 0)
    work.product = product.size;
  return work;
}

Work sum_of(const std::vector<const LibraryProduct*>& products) {
  Work sum = work_of(*products.front());
  for (std::size_t i = 1; i < products.size(); ++i) {
    const Work work = work_of(*products[i]);
    sum.matrix_flops = known_sum(sum.matrix_flops, work.matrix_flops);
    sum.vector_flops = known_sum(sum.vector_flops, work.vector_flops);
    sum.elements = known_sum(sum.elements, work.elements);
    sum.other_bytes = events::sum(sum.other_bytes, work.other_bytes);
    sum.product.reset();
  }
  return sum;
}

ElementType type_of(const LibraryProduct& product, ElementType of_kernel) {
  constexpr std::int64_t kFastTf32 = 77;
  const ElementType type = data_type(product.type_a).type;
  if (type != ElementType::kFp32) return type;
  switch (of_kernel) {
    case ElementType::kTf32:
    case ElementType::kBf16:
    case ElementType::kFp16:
      return of_kernel;
    case ElementType::kUnknown:
      return product.compute == kFastTf32 ? ElementType::kTf32 : type;
    default:
      return type;
  }
}

std::string shapes_of(const LibraryProduct& product) {
  const auto [m, n, k, batch] = product.size;
  const auto shape = [&](std::int64_t rows, std::int64_t columns) {
    return batch == 1 ? fmt::format("[{}, {}]", rows, columns)
                      : fmt::format("[{}, {}, {}]", batch, rows, columns);
  };
  return fmt::format("[{}, {}]", shape(m, k), shape(k, n));
}

std::string text_of(const LibraryProduct& product) {
  const auto [m, n, k, batch] = product.size;
  constexpr const char* kKinds[] = {"",        "",         "symmetric ",  "rank-k ",
                                    "rank-k ", "rank-2k ", "triangular ", "solve "};
  const auto kind = static_cast<std::size_t>(product.kind);
  std::string text =
      fmt::format("{}{}{} {} x {} x {}", kKinds[kind], letter_of(product.operation_a),
                  letter_of(product.operation_b), m, n, k);
  return batch == 1 ? text : text + fmt::format(", batch {}", batch);
}

base::Result<LibraryProducts> LibraryProducts::read(const report::ReportReader& reader) {
  LibraryProducts result;
  if (!reader.has_table(kProductTable)) return result;
  const base::Status read = report::scan(
      reader,
      {kProductTable,
       {"id", "kind", "m", "n", "k", "batchCount", "operationA", "operationB", "typeA", "typeB",
        "typeC", "computeType", "epilogue", "sharedA", "sharedB"}},
      [&](const report::Row& row) {
        const std::int64_t kind = row.integer(1);
        if (kind < 0 || kind > static_cast<std::int64_t>(ProductKind::kSolve)) return;
        result.products_.insert_or_assign(
            row.integer(0),
            LibraryProduct{static_cast<ProductKind>(kind),
                           {row.integer(2), row.integer(3), row.integer(4), row.integer(5)},
                           row.integer(6),
                           row.integer(7),
                           row.integer(8),
                           row.integer(9),
                           row.integer(10),
                           row.integer_or(11, 0),
                           row.integer_or(12, 0),
                           row.integer(13) != 0,
                           row.integer(14) != 0});
      });
  if (!read) return tl::make_unexpected(read.error());
  return result;
}

// A library with matrices column by column computes the transposed product: N x M. Sizes are
// compared if there is one product, else the multiplications.
Agreement compare(const Work& work, const std::vector<const LibraryProduct*>& products) {
  if (std::string_view(work.category) != kProduct || products.empty()) return Agreement::kUnknown;
  const auto flops = work.matrix_flops.value_or(0) > 0 ? work.matrix_flops : work.vector_flops;
  if (!flops) return Agreement::kUnknown;
  Amount sum = 0;
  for (const LibraryProduct* product : products) sum = sum + multiplications(*product);
  if (!sum.value()) return Agreement::kUnknown;
  bool is_same = (Amount(2) * sum).value() == flops;
  if (work.product && products.size() == 1) {
    const MatrixProduct& mine = *work.product;
    const MatrixProduct& other = products.front()->size;
    is_same = is_same && mine.k == other.k && mine.batch == other.batch &&
              std::minmax(mine.m, mine.n) == std::minmax(other.m, other.n);
  }
  return is_same ? Agreement::kAgrees : Agreement::kDiffers;
}

}  // namespace prof::operators
