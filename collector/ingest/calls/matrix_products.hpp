// Writes what calls of cuBLAS compute: a row for each combination of sizes and types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "common/report/report_writer.hpp"
#include "common/wire/product_records.hpp"

namespace prof::ingest {

class MatrixProducts {
 public:
  explicit MatrixProducts(report::ReportWriter& writer) : writer_(writer) {}

  // Returns the id in PROF_MATRIX_PRODUCTS of what the record says, and writes the row of a new id.
  std::int64_t id_of(const wire::MatrixProductRecord& record);

 private:
  static constexpr std::size_t kColumns = 14;  // without the id

  report::ReportWriter& writer_;
  std::map<std::array<std::int64_t, kColumns>, std::int64_t> ids_;
};

}  // namespace prof::ingest
