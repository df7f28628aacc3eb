// Calls of cuBLAS, cuDNN and other libraries, by thread and time.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::operators {

struct LibraryCall {
  std::int64_t global_tid;
  std::int64_t start;  // ns
  std::int64_t end;
  std::int64_t name;     // StringIds.id
  std::int64_t product;  // PROF_MATRIX_PRODUCTS.id; 0: none
};

class LibraryCalls {
 public:
  static base::Result<LibraryCalls> read(const report::ReportReader& reader);

  bool has_products() const { return !products_.empty(); }
  // Returns the call that a thread is in, or null. If it is in several, one calls the other: the
  // outermost one that multiplies matrices counts, else the outermost one. So a product that cuBLAS
  // computes by one of cuBLASLt is one product.
  const LibraryCall* around(std::int64_t global_tid, std::int64_t time) const;

 private:
  // Both by thread and start, without calls inside of others.
  std::vector<LibraryCall> products_;
  std::vector<LibraryCall> outermost_;
};

}  // namespace prof::operators
