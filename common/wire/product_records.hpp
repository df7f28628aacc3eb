// Records of matrix products that the program asks a library for (injection/libraries).
#pragma once

#include "common/wire/records.hpp"

namespace prof::wire {

// What a product has in common with C = op(A) op(B), of M x K and K x N. The numbers are those of
// PROF_MATRIX_PRODUCTS.kind.
enum class ProductKind : std::uint8_t {
  kGeneral = 0,
  kVector = 1,     // N is 1: B and C are vectors
  kSymmetric = 2,  // A, or B, is symmetric or Hermitian
  kRankK = 3,      // A op(A): a triangle of C is computed
  kRankKx = 4,     // A op(B): a triangle of C is computed
  kRank2K = 5,     // A op(B) + B op(A): a triangle of C is computed
  kTriangular = 6,
  kSolve = 7,  // of equations with a triangular matrix
};
inline constexpr std::uint8_t kProductKinds = 8;

// Bits of MatrixProductRecord::shared: one matrix for all products of the batch.
inline constexpr std::uint8_t kSharedA = 1;
inline constexpr std::uint8_t kSharedB = 2;

inline constexpr std::uint8_t kNoComputeType = 255;

// Operations are those of cublasOperation_t: 0 as it is, 1 transposed, 2 transposed and conjugated,
// 3 conjugated. Types are those of cudaDataType_t.
struct MatrixProductRecord {
  RecordHeader header;  // aux: the function's id; flags: ProductKind
  std::uint64_t start;
  std::uint64_t end;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  std::int64_t batch;
  std::uint32_t epilogue;  // cublasLtEpilogue_t; 0: the function has none
  std::uint8_t operation_a;
  std::uint8_t operation_b;
  std::uint8_t type_a;
  std::uint8_t type_b;
  std::uint8_t type_c;   // of the result
  std::uint8_t compute;  // cublasComputeType_t, or kNoComputeType
  std::uint8_t shared;   // kSharedA, kSharedB
  std::uint8_t reserved[5];
};

static_assert(kIsRecord<MatrixProductRecord> && sizeof(MatrixProductRecord) == 72);

}  // namespace prof::wire
