// Reads all rows of a table, fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"

namespace prof::report {

// Texts of a scan and of StringIds end after this number of bytes. Recorded names have at most 16
// KiB. A damaged report can have a text of gigabytes in each row.
inline constexpr std::size_t kMostTextBytes = 64 << 10;

// A row of a scan. Columns are counted from 0.
class Row {
 public:
  // `misplaced`: see integer().
  Row(int columns, sqlite3_value** values, int& misplaced)
      : columns_(columns), values_(values), misplaced_(misplaced) {}

  int columns() const { return columns_; }
  bool is_null(int column) const { return sqlite3_value_type(values_[column]) == SQLITE_NULL; }
  // 0 if NULL. A text in place of a number makes the scan fail.
  std::int64_t integer(int column) const { return integer_or(column, 0); }
  std::int64_t integer_or(int column, std::int64_t if_null) const {
    const int type = sqlite3_value_type(values_[column]);
    if (type == SQLITE_INTEGER) return sqlite3_value_int64(values_[column]);
    if (type == SQLITE_NULL) return if_null;
    if (type != SQLITE_FLOAT) misplaced_ = column;
    return sqlite3_value_int64(values_[column]);
  }
  double real(int column) const { return sqlite3_value_double(values_[column]); }  // 0 if NULL
  std::string_view text(int column) const;  // valid during the visit

 private:
  int columns_;
  sqlite3_value** values_;
  int& misplaced_;
};

struct Scan {
  using Visit = void(const Row& row, void* visitor);
  Visit* visit;
  void* visitor;
  int misplaced = -1;  // a column that held a text in place of a number, or -1
};
base::Status run(Scan& scan, const ReportReader& reader, std::string_view columns,
                 std::string_view source);

// Calls `visit(const Row&)` for each row of "SELECT columns FROM source". For SQLite it is one
// aggregate function of the columns. That saves a return per row and a call per value, half of the
// time. `visit` can query, but not scan.
template <class Visit>
base::Status scan(const ReportReader& reader, std::string_view columns, std::string_view source,
                  Visit visit) {
  Scan all{[](const Row& row, void* visitor) { (*static_cast<Visit*>(visitor))(row); }, &visit};
  return run(all, reader, columns, source);
}

// The error for a column that contains a text in place of a number.
base::Status fail_misplaced(const ReportReader& reader, const std::string& column);

}  // namespace prof::report
