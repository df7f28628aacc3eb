// What calls of cuBLAS compute (PROF_MATRIX_PRODUCTS).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/operators/work/work.hpp"

namespace prof::operators {

inline constexpr const char* kProductTable = "PROF_MATRIX_PRODUCTS";

// The values of PROF_MATRIX_PRODUCTS.kind.
enum class ProductKind : std::int64_t {
  kGeneral,
  kVector,
  kSymmetric,
  kRankK,
  kRankKx,
  kRank2K,
  kTriangular,
  kSolve,
};

struct LibraryProduct {
  ProductKind kind;
  MatrixProduct size;
  std::int64_t operation_a;  // 0: not transposed
  std::int64_t operation_b;
  std::int64_t type_a;  // cudaDataType_t
  std::int64_t type_b;
  std::int64_t type_c;
  std::int64_t compute;   // cublasComputeType_t; 0: unknown
  std::int64_t epilogue;  // cublasLtEpilogue_t; 0: none
  bool is_a_shared;       // by all products of the batch
  bool is_b_shared;
};

// Complex numbers count as real ones: a multiplication and an addition are 8 operations. The bytes
// are in Work::other_bytes, because matrices may have different types.
Work work_of(const LibraryProduct& product);
// Returns the work of all, of which there is at least one.
Work sum_of(const std::vector<const LibraryProduct*>& products);

// Returns the type in which the matrices are multiplied. `of_kernel` is that in the names of the
// kernels: FP32 may be multiplied in a lower precision.
ElementType type_of(const LibraryProduct& product, ElementType of_kernel);

// Returns the sizes as PyTorch writes those of arguments: "[[128, 64], [64, 32]]".
std::string shapes_of(const LibraryProduct& product);

// Returns "NT 128 x 32 x 64": transposition, M, N and K; after it the batch.
std::string text_of(const LibraryProduct& product);

class LibraryProducts {
 public:
  static base::Result<LibraryProducts> read(const report::ReportReader& reader);

  // Returns a product by its id, or null.
  const LibraryProduct* of(std::int64_t id) const {
    const auto found = products_.find(id);
    return found == products_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::int64_t, LibraryProduct> products_;
};

// The products that a call of an operator computes.
struct ProductsOfCall {
  std::vector<std::int64_t> ids;  // ascending
  bool has_other_work = false;    // some of its GPU operations are not of a product
  bool operator==(const ProductsOfCall&) const = default;
};

// What the arguments of cuBLAS say about an operator of a framework.
enum class Agreement : std::uint8_t {
  kUnknown,  // one of them does not know the sizes
  kAgrees,
  kDiffers,
};

// Compares the work of an operator with the products that it computes.
Agreement compare(const Work& work, const std::vector<const LibraryProduct*>& products);

}  // namespace prof::operators
