#include "exporters/analysis/events/call_chains/call_chain_rows.hpp"

#include <algorithm>

namespace prof::events {

report::ScanColumns call_chain_columns(const report::ReportReader& reader, const char* table) {
  report::ScanColumns columns{"id"};
  for (const char* column : {"stackDepth", "symbol", "module", "line", "originalIP", "kernelMode",
                             "unresolved", "specialEntry"})
    columns.push_back(report::column_or(reader, table, column));
  return columns;
}

CallChainRow call_chain_row(const report::Row& row) {
  CallChainRow result{row.integer(2), row.integer(3), std::max<std::int64_t>(row.integer(4), 0),
                      row.integer(5), 0};
  if (row.is_null(5)) result.flags |= CallChainRow::kNoAddress;
  if (row.integer(6) != 0) result.flags |= CallChainRow::kKernel;
  if (row.integer(7) != 0) result.flags |= CallChainRow::kUnresolved;
  if (row.integer(8) != 0) result.flags |= CallChainRow::kSpecial;
  return result;
}

}  // namespace prof::events
