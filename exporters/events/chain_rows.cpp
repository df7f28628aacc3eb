#include "exporters/events/chain_rows.hpp"

#include <algorithm>

namespace prof::events {

std::string chain_columns(const report::ReportReader& reader, const char* table) {
  std::string columns = "id, stackDepth, symbol, module";
  for (const char* column : {"line", "originalIP", "kernelMode", "unresolved", "specialEntry"})
    columns += std::string(", ") + (reader.has_column(table, column) ? column : "NULL");
  return columns;
}

ChainRow chain_row(const report::Row& row) {
  ChainRow result{row.integer(2), row.integer(3), std::max<std::int64_t>(row.integer(4), 0),
                  row.integer(5), 0};
  if (row.is_null(5)) result.flags |= ChainRow::kNoAddress;
  if (row.integer(6) != 0) result.flags |= ChainRow::kKernel;
  if (row.integer(7) != 0) result.flags |= ChainRow::kUnresolved;
  if (row.integer(8) != 0) result.flags |= ChainRow::kSpecial;
  return result;
}

}  // namespace prof::events
