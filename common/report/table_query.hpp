// What a scan reads of a table. From this description both readers work: the one of stored rows,
// and SQLite, which gets it as SQL.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prof::report {

class ReportReader;

// A value that a scan returns for each row. The text has to exist as long as the query.
struct ScanColumn {
  enum class Kind : std::uint8_t { kName, kConstant, kExpression };

  constexpr ScanColumn(const char* name) : text(name) {}
  constexpr ScanColumn(std::string_view name) : text(name) {}
  static constexpr ScanColumn null() { return {Kind::kConstant, {}, std::nullopt}; }
  static constexpr ScanColumn constant(std::int64_t value) { return {Kind::kConstant, {}, value}; }
  static constexpr ScanColumn or_else(std::string_view name, std::int64_t value) {
    return {Kind::kName, name, value};
  }
  // SQL that only SQLite can compute.
  static constexpr ScanColumn expression(std::string_view sql) {
    return {Kind::kExpression, sql, std::nullopt};
  }

  bool operator==(const ScanColumn&) const = default;

  Kind kind = Kind::kName;
  std::string_view text;  // the name or the expression
  // The value of a constant, which is NULL without it. With a name: the value in place of NULL.
  std::optional<std::int64_t> value = {};

 private:
  constexpr ScanColumn(Kind its_kind, std::string_view its_text,
                       std::optional<std::int64_t> its_value)
      : kind(its_kind), text(its_text), value(its_value) {}
};

using ScanColumns = std::vector<ScanColumn>;
ScanColumns operator+(ScanColumns columns, std::span<const ScanColumn> more);

// Returns the column, or another value if the table lacks it.
ScanColumn column_or(const ReportReader& reader, std::string_view table, const char* column,
                     const ScanColumn& other = ScanColumn::null());

// Selects rows in which the column is one of the numbers, or is not one of them. A row with NULL is
// never selected.
struct RowCondition {
  std::string_view column;
  std::vector<std::int64_t> numbers;
  bool is_one_of = true;
};
std::string to_sql(const RowCondition& condition);  // without WHERE

// Selects rows by their time: those that overlap a window, and those that fulfil `always`.
struct RowWindow {
  std::string start_column;
  std::string end_column;  // a row without an end ends at its start
  std::int64_t start;      // ns, as in the report
  std::int64_t end;
  std::optional<RowCondition> always = {};
};

// The rows that the reader's filter selects, unless `ignores_filter` is true.
struct TableQuery {
  std::string table;
  ScanColumns columns;
  std::optional<RowCondition> condition = {};
  std::string rest = {};  // SQL after the condition, or after the table's name without a condition
  bool ignores_filter = false;
};
std::string columns_sql(const ScanColumns& columns);
std::string source_sql(const TableQuery& query);  // what follows FROM

}  // namespace prof::report
