#include "collector/ingest/calls/matrix_products.hpp"

namespace prof::ingest {

std::int64_t MatrixProducts::id_of(const wire::MatrixProductRecord& record) {
  const std::array<std::int64_t, kColumns> row{
      record.header.flags,
      record.m,
      record.n,
      record.k,
      record.batch,
      record.operation_a,
      record.operation_b,
      record.type_a,
      record.type_b,
      record.type_c,
      record.compute,
      record.epilogue,
      (record.shared & wire::kSharedA) != 0,
      (record.shared & wire::kSharedB) != 0,
  };
  const auto [known, is_new] = ids_.try_emplace(row, static_cast<std::int64_t>(ids_.size() + 1));
  if (!is_new) return known->second;
  using report::Value;
  const Value compute = record.compute == wire::kNoComputeType ? Value{nullptr} : Value{row[10]};
  const Value epilogue = record.epilogue == 0 ? Value{nullptr} : Value{row[11]};
  writer_.add("PROF_MATRIX_PRODUCTS",
              {known->second, row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7],
               row[8], row[9], compute, epilogue, row[12], row[13]});
  return known->second;
}

}  // namespace prof::ingest
