#include "injection/libraries/matrix_products.hpp"

namespace prof::libraries {

namespace {

using wire::ProductKind;

class Reader {
 public:
  Reader(const Arguments& arguments, bool is_wide) : arguments_(arguments), is_wide_(is_wide) {}

  std::int64_t integer(std::uint8_t position, std::int64_t otherwise) const {
    if (position == Positions::kNone) return otherwise;
    const std::uint64_t word = arguments_.word(position);
    return is_wide_ ? static_cast<std::int64_t>(word) : static_cast<std::int32_t>(word);
  }
  // Strides have 64 bits in all functions.
  bool is_zero(std::uint8_t position) const {
    return position != Positions::kNone && arguments_.word(position) == 0;
  }
  std::uint8_t number(std::uint8_t position, std::uint8_t otherwise) const {
    return position == Positions::kNone ? otherwise
                                        : static_cast<std::uint8_t>(arguments_.word(position));
  }
  // Returns an operation of cublasOperation_t. The interface of cublas.h has letters.
  std::uint8_t operation(std::uint8_t position) const {
    const std::uint8_t value = number(position, 0);
    switch (value | 32) {
      case 'n':
        return 0;
      case 't':
        return 1;
      case 'c':
        return 2;
      default:
        return value;
    }
  }

 private:
  const Arguments& arguments_;
  bool is_wide_;
};

void set_sizes(const ProductFunction& function, const Reader& read,
               wire::MatrixProductRecord& record) {
  const Positions& at = *function.positions;
  record.m = read.integer(at.m, 0);
  record.n = read.integer(at.n, 0);
  record.k = read.integer(at.k, 0);
  switch (function.kind) {
    case ProductKind::kGeneral:
      break;
    case ProductKind::kVector:
      record.k = record.operation_a % 3 == 0 ? record.n : record.m;
      record.m = record.operation_a % 3 == 0 ? record.m : record.n;
      record.n = 1;
      break;
    case ProductKind::kRankK:
    case ProductKind::kRankKx:
    case ProductKind::kRank2K:
      record.m = record.n;
      break;
    case ProductKind::kSymmetric:
    case ProductKind::kTriangular:
    case ProductKind::kSolve:
      // The square matrix is on the left (0) or on the right.
      record.k = read.number(at.side, 0) == 0 ? record.m : record.n;
      break;
  }
}

// Attributes of cublasLt: cublasLtMatrixLayoutAttribute_t and cublasLtMatmulDescAttributes_t.
constexpr int kLayoutType = 0;
constexpr int kLayoutRows = 2;
constexpr int kLayoutColumns = 3;
constexpr int kLayoutBatch = 5;
constexpr int kLayoutStride = 6;
constexpr int kCompute = 0;
constexpr int kOperationA = 3;
constexpr int kOperationB = 4;
constexpr int kEpilogue = 7;

class Descriptor {
 public:
  Descriptor(const void* object, GetAttribute get)
      : object_(object), get_(get), is_valid_(object != nullptr) {}

  bool is_valid() const { return is_valid_; }

  template <class Value>
  Value get(int attribute) {
    Value value = 0;
    std::size_t written = 0;
    is_valid_ = is_valid_ && get_(object_, attribute, &value, sizeof value, &written) == 0 &&
                written == sizeof value;
    return value;
  }
  std::uint8_t small(int attribute) {
    return static_cast<std::uint8_t>(get<std::uint32_t>(attribute));
  }

 private:
  const void* object_;
  GetAttribute get_;
  bool is_valid_;
};

}  // namespace

void describe(const ProductFunction& function, const Arguments& arguments,
              wire::MatrixProductRecord& record) {
  const Positions& at = *function.positions;
  const Reader read(arguments, function.is_wide);
  record.header.flags = static_cast<std::uint8_t>(function.kind);
  record.operation_a = read.operation(at.operation_a);
  record.operation_b = read.operation(at.operation_b);
  set_sizes(function, read, record);
  record.batch = read.integer(at.batch, 1);
  record.type_a = read.number(at.type_a, function.type);
  record.type_b = read.number(at.type_b, record.type_a);
  record.type_c = read.number(at.type_c, function.result_type);
  record.compute = read.number(at.compute, wire::kNoComputeType);
  if (read.is_zero(at.stride_a)) record.shared |= wire::kSharedA;
  if (read.is_zero(at.stride_b)) record.shared |= wire::kSharedB;
}

bool describe_lt_matmul(const Arguments& arguments, GetAttribute layout, GetAttribute operation,
                        wire::MatrixProductRecord& record) {
  Descriptor product(arguments.pointer(1), operation);
  Descriptor a(arguments.pointer(4), layout);
  Descriptor b(arguments.pointer(6), layout);
  Descriptor d(arguments.pointer(11), layout);
  record.operation_a = product.small(kOperationA);
  record.operation_b = product.small(kOperationB);
  record.compute = product.small(kCompute);
  record.epilogue = product.get<std::uint32_t>(kEpilogue);
  record.type_a = a.small(kLayoutType);
  record.type_b = b.small(kLayoutType);
  record.type_c = d.small(kLayoutType);
  record.m = d.get<std::int64_t>(kLayoutRows);
  record.n = d.get<std::int64_t>(kLayoutColumns);
  record.k = a.get<std::int64_t>(record.operation_a % 3 == 0 ? kLayoutColumns : kLayoutRows);
  record.batch = d.get<std::int32_t>(kLayoutBatch);
  if (record.batch > 1) {
    if (a.get<std::int64_t>(kLayoutStride) == 0) record.shared |= wire::kSharedA;
    if (b.get<std::int64_t>(kLayoutStride) == 0) record.shared |= wire::kSharedB;
  }
  return product.is_valid() && a.is_valid() && b.is_valid() && d.is_valid();
}

}  // namespace prof::libraries
