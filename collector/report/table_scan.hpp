// Reads a whole table fast.
#pragma once

#include <cstdint>
#include <string_view>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"

namespace prof::report {

// A row as a scan finds it. Columns are counted from 0.
class Row {
 public:
  explicit Row(sqlite3_value** values) : values_(values) {}

  bool is_null(int column) const { return sqlite3_value_type(values_[column]) == SQLITE_NULL; }
  std::int64_t integer(int column) const { return sqlite3_value_int64(values_[column]); }
  std::string_view text(int column) const;  // valid during the visit

 private:
  sqlite3_value** values_;
};

using VisitRow = void (*)(sqlite3_context*, int, sqlite3_value**);
base::Status scan(const ReportReader& reader, std::string_view columns, std::string_view source,
                  VisitRow visit, void* visitor);

// Calls `visit(const Row&)` for every row of "SELECT columns FROM source". SQLite sees one
// aggregate function of the columns: that leaves out its return from every row and a call for each
// value, which are as much again as the rest. `visit` may query, but not scan.
template <class Visit>
base::Status scan(const ReportReader& reader, std::string_view columns, std::string_view source,
                  Visit visit) {
  return scan(
      reader, columns, source,
      [](sqlite3_context* context, int, sqlite3_value** values) {
        (*static_cast<Visit*>(sqlite3_user_data(context)))(Row(values));
      },
      &visit);
}

}  // namespace prof::report
