// The rows of a table as slices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "exporters/events/rows.hpp"
#include "exporters/formats/trace/slice_sorter.hpp"

namespace prof::formats {

// Which rows of a table are slices.
struct SliceQuery {
  std::string_view table;
  std::string_view columns;     // in the row from column 0 on
  std::string_view rest = {};   // after the table's name in the query
  std::string end = "\"end\"";  // the column, or an expression
  std::size_t in_memory = SliceSorter::kInMemory;

  std::string all_columns() const { return fmt::format("{}, start, {}", columns, end); }
  std::string source() const { return fmt::format("{} {}", report::quoted(table), rest); }
};

// The times of a row of a SliceQuery.
inline events::Times times_of(const report::Row& row) {
  const int last = row.columns() - 1;
  return {row.integer_or(last - 1, INT64_MAX), row.integer_or(last, INT64_MIN)};
}

// Calls `take(slice)` for each slice that `make(times, row)` makes of a table's rows, in the order
// of the table.
template <class Make, class Take>
base::Status read_slices(const report::ReportReader& reader, const SliceQuery& query, Make make,
                         Take take) {
  std::int64_t faulty = 0;
  base::Status read =
      report::scan(reader, query.all_columns(), query.source(), [&](const report::Row& row) {
        const events::Times times = times_of(row);
        if (times.is_valid())
          take(make(times, row));
        else
          ++faulty;
      });
  if (faulty > 0) reader.note_faulty(query.table, faulty);
  return read;
}

// The same in the order of start; of those that start together the longest first.
template <class Make, class Visit>
base::Status for_each_slice(const report::ReportReader& reader, const SliceQuery& query, Make make,
                            Visit visit) {
  SliceSorter sorter(query.in_memory);
  base::Status read =
      read_slices(reader, query, make, [&](const Slice& slice) { sorter.add(slice); });
  return read ? sorter.visit_all(visit) : read;
}

}  // namespace prof::formats
