#include "exporters/arrow/column_types.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "common/report/schema.hpp"
#include "exporters/analysis/tables/pattern.hpp"

namespace prof::arrow {

namespace {

ColumnType type_of(char format) {
  for (int type = 0; type <= static_cast<int>(ColumnType::kBytes); ++type)
    if (format_of(static_cast<ColumnType>(type))[0] == format) return static_cast<ColumnType>(type);
  return ColumnType::kInt64;
}

// Returns the table whose column types apply. All tables of call chains have the same columns,
// including those of nsys that prof does not write.
std::string_view known_table(std::string_view table) {
  return table.ends_with("_CALLCHAINS") ? "OSRT_CALLCHAINS" : table;
}

// Determines the type as SQLite determines the affinity of a column (datatype3.html, 3.1).
ColumnType plain_type(std::string_view declared) {
  std::string upper(declared);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (tables::contains(upper, "INT") || tables::contains(upper, "BOOL")) return ColumnType::kInt64;
  for (const char* text : {"CHAR", "CLOB", "TEXT"})
    if (tables::contains(upper, text)) return ColumnType::kText;
  if (tables::contains(upper, "BLOB")) return ColumnType::kBytes;
  for (const char* real : {"REAL", "FLOA", "DOUB"})
    if (tables::contains(upper, real)) return ColumnType::kDouble;
  return upper.empty() ? ColumnType::kText : ColumnType::kDouble;
}

bool is_integer(ColumnType type) { return type <= ColumnType::kUint64; }
bool is_real(ColumnType type) { return type == ColumnType::kFloat || type == ColumnType::kDouble; }

}  // namespace

ColumnType column_type(std::string_view table, std::string_view column, std::string_view declared) {
  const ColumnType plain = plain_type(declared);
  if (const char format = report::arrow_format(known_table(table), column)) {
    const ColumnType known = type_of(format);
    const bool is_same_kind =
        is_integer(known) == is_integer(plain) && is_real(known) == is_real(plain);
    if (is_same_kind || declared.empty()) return known;
  }
  // Ids of processes and threads use the highest bits, so they are unsigned.
  if (plain == ColumnType::kInt64 && (column.starts_with("global") || column == "endGlobalTid"))
    return ColumnType::kUint64;
  return plain;
}

}  // namespace prof::arrow
