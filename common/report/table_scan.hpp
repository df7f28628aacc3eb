// Reads all rows of a table, faster than a query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/report/pages/stored_scan.hpp"
#include "common/report/report_reader.hpp"

namespace prof::report {

// Texts of a scan and of StringIds are cut after this number of bytes. Recorded names have at most
// 16 KiB. A damaged report can have a text of gigabytes in each row.
inline constexpr std::size_t kMaxTextBytes = 64 << 10;

class Row;

struct Scan {
  using Visit = void(const Row& row, void* visitor);
  Visit* visit;
  void* visitor;
  int misplaced = -1;       // a column that held a text in place of a number; -1: none
  std::string number = {};  // the text in place of a number
};

// A row of a scan. Its values come from SQLite or from the stored row. Columns are counted from 0.
class Row {
 public:
  Row(int columns, sqlite3_value** values, Scan& scan)
      : columns_(columns), values_(values), scan_(scan) {}
  Row(int columns, const StoredValue* stored, Scan& scan)
      : columns_(columns), stored_(stored), scan_(scan) {}

  int columns() const { return columns_; }
  bool is_null(int column) const {
    if (stored_ != nullptr) return stored_[column].kind == StoredValue::Kind::kNull;
    return sqlite3_value_type(values_[column]) == SQLITE_NULL;
  }
  // Returns the number in a column; 0 if it is NULL. A text in place of a number makes the scan
  // fail.
  std::int64_t integer(int column) const { return integer_or(column, 0); }
  std::int64_t integer_or(int column, std::int64_t if_null) const {
    if (stored_ == nullptr) return queried_integer_or(column, if_null);
    const StoredValue& value = stored_[column];
    if (value.kind == StoredValue::Kind::kInteger) return value.integer;
    return value.kind == StoredValue::Kind::kNull ? if_null : other_integer(column);
  }
  double real(int column) const {  // 0 if NULL
    return stored_ != nullptr ? stored_[column].real() : sqlite3_value_double(values_[column]);
  }
  std::string_view text(int column) const;  // valid during the visit

 private:
  std::int64_t queried_integer_or(int column, std::int64_t if_null) const;
  std::int64_t other_integer(int column) const;

  int columns_;
  sqlite3_value** values_ = nullptr;
  const StoredValue* stored_ = nullptr;
  Scan& scan_;
};

base::Status run(Scan& scan, const ReportReader& reader, const TableQuery& query);
base::Status run_sql(Scan& scan, const ReportReader& reader, std::string_view columns,
                     std::string_view source);

// Calls `visit(const Row&)` for each row of the query. Rows of large tables are read in their
// stored form, unless the query has something that only SQLite can compute (scan_sql()). `visit`
// can query, but not scan.
template <class Visit>
base::Status scan(const ReportReader& reader, const TableQuery& query, Visit visit) {
  Scan all{[](const Row& row, void* visitor) { (*static_cast<Visit*>(visitor))(row); }, &visit};
  return run(all, reader, query);
}

// Calls `visit(const Row&)` for each row of "SELECT columns FROM source". The visit is an aggregate
// function that SQLite calls with the columns: without a return per row and a call per value, this
// takes half of the time.
template <class Visit>
base::Status scan_sql(const ReportReader& reader, std::string_view columns, std::string_view source,
                      Visit visit) {
  Scan all{[](const Row& row, void* visitor) { (*static_cast<Visit*>(visitor))(row); }, &visit};
  return run_sql(all, reader, columns, source);
}

// Returns the error for a column that contains a text in place of a number.
base::Status fail_misplaced(const ReportReader& reader, const std::string& column);

}  // namespace prof::report
