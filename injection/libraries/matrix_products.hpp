// Describes the matrix products that a library computes, from the arguments of its functions.
//
// A function takes sizes, types and transposition by value. Nothing that an argument points to is
// read: only cublasLt's own functions read its descriptors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/wire/product_records.hpp"
#include "injection/libraries/arguments.hpp"

namespace prof::libraries {

// Where a function has its parameters: their numbers among those that are integers or pointers.
struct Positions {
  static constexpr std::uint8_t kNone = 255;

  std::uint8_t operation_a, operation_b, side, m, n, k, batch;
  std::uint8_t type_a, type_b, type_c, compute, stride_a, stride_b;
};

consteval bool is_same_word(const char* at, const char* word) {
  for (; *word != '\0'; ++at, ++word)
    if (*at != *word) return false;
  return *at == ' ' || *at == '\0';
}

// Returns the number of the first of two words among the words of a list, or kNone.
consteval std::uint8_t position_of(const char* list, const char* word, const char* other) {
  for (std::uint8_t position = 0;; ++position) {
    if (is_same_word(list, word) || is_same_word(list, other)) return position;
    while (*list != ' ' && *list != '\0') ++list;
    if (*list == '\0') return Positions::kNone;
    ++list;
  }
}

// Returns the positions of parameters by the names that the library's header gives them.
consteval Positions positions(const char* names) {
  const auto of = [names](const char* word) consteval { return position_of(names, word, word); };
  return {.operation_a = position_of(names, "transa", "trans"),
          .operation_b = of("transb"),
          .side = of("side"),
          .m = of("m"),
          .n = of("n"),
          .k = of("k"),
          .batch = of("batchCount"),
          .type_a = of("Atype"),
          .type_b = of("Btype"),
          .type_c = of("Ctype"),
          .compute = of("computeType"),
          .stride_a = of("strideA"),
          .stride_b = position_of(names, "strideB", "stridex")};
}

// The parameters of functions, as far as they matter. tests/lint compares them with the headers.
// Gemm1 is the interface of cublas.h: its scalars are no integers, so they do not count.
inline constexpr Positions kGemm1 = positions("transa transb m n k");
inline constexpr Positions kGemm = positions("handle transa transb m n k");
inline constexpr Positions kGemmTypes = positions(
    "handle transa transb m n k alpha A Atype lda B Btype ldb beta C Ctype ldc computeType");
inline constexpr Positions kSgemmEx =
    positions("handle transa transb m n k alpha A Atype lda B Btype ldb beta C Ctype");
inline constexpr Positions kGemmBatched =
    positions("handle transa transb m n k alpha Aarray lda Barray ldb beta Carray ldc batchCount");
inline constexpr Positions kGemmBatchedTypes = positions(
    "handle transa transb m n k alpha Aarray Atype lda Barray Btype ldb beta Carray Ctype ldc "
    "batchCount computeType");
inline constexpr Positions kGemmStrided = positions(
    "handle transa transb m n k alpha A lda strideA B ldb strideB beta C ldc strideC batchCount");
inline constexpr Positions kGemmStridedTypes = positions(
    "handle transa transb m n k alpha A Atype lda strideA B Btype ldb strideB beta C Ctype ldc "
    "strideC batchCount computeType");
inline constexpr Positions kGemv = positions("handle trans m n");
inline constexpr Positions kGemvBatched =
    positions("handle trans m n alpha Aarray lda xarray incx beta yarray incy batchCount");
inline constexpr Positions kGemvStrided =
    positions("handle trans m n alpha A lda strideA x incx stridex beta y incy stridey batchCount");
inline constexpr Positions kSymm = positions("handle side uplo m n");
inline constexpr Positions kRank = positions("handle uplo trans n k");
inline constexpr Positions kRankTypes =
    positions("handle uplo trans n k alpha A Atype lda beta C Ctype");
inline constexpr Positions kTriangle = positions("handle side uplo trans diag m n");
inline constexpr Positions kTriangleBatched =
    positions("handle side uplo trans diag m n alpha A lda B ldb batchCount");

// cudaDataType_t.
enum DataType : std::uint8_t {
  kR32F = 0,
  kR64F = 1,
  kR16F = 2,
  kC32F = 4,
  kC64F = 5,
  kR16BF = 14,
  kNoType = 255,  // parameters of the function say it
};

// What the arguments of a function mean.
struct ProductFunction {
  const Positions* positions;  // null: the function computes no matrix product that is known
  wire::ProductKind kind;
  DataType type;         // of the arguments
  DataType result_type;  // of the result
  bool is_wide;          // integers have 64 bits
};

// Writes what the arguments say.
void describe(const ProductFunction& function, const Arguments& arguments,
              wire::MatrixProductRecord& record);

// cublasLtMatrixLayoutGetAttribute and cublasLtMatmulDescGetAttribute.
using GetAttribute = int (*)(const void* object, int attribute, void* value, std::size_t size,
                             std::size_t* written);

// Writes what the arguments of cublasLtMatmul say. The call has succeeded, so its descriptors are
// valid. Returns false if a descriptor does not tell everything.
bool describe_lt_matmul(const Arguments& arguments, GetAttribute layout, GetAttribute operation,
                        wire::MatrixProductRecord& record);

}  // namespace prof::libraries
