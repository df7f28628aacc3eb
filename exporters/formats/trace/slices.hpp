// Events with a start and an end, in the order of time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/events/rows.hpp"

namespace prof::formats {

struct Slice {
  std::int64_t start;  // ns
  std::int64_t end;
  std::uint32_t row;      // where it is shown
  std::uint32_t name;     // a number of SliceNames
  std::int64_t detail;    // what the reader of the table needs: a correlation id, bytes, …
  std::uint32_t details;  // the number of further details, or 0
};

inline bool shown_before(const Slice& a, const Slice& b) {
  return a.start != b.start ? a.start < b.start : a.end > b.end;
}

// Of a table with more rows, SQLite sorts them, with files for what does not fit its memory.
inline constexpr std::size_t kSlicesInMemory = 4 << 20;

// Sorts slices as long as they fit the memory.
class SliceSorter {
 public:
  explicit SliceSorter(std::size_t expected) { slices_.reserve(expected); }

  void add(const Slice& slice) {
    is_sorted_ = is_sorted_ && (slices_.empty() || !shown_before(slice, slices_.back()));
    slices_.push_back(slice);
  }
  template <class Visit>
  void visit_all(Visit visit) {
    if (!is_sorted_) std::stable_sort(slices_.begin(), slices_.end(), shown_before);
    for (const Slice& slice : slices_) visit(slice);
  }

 private:
  std::vector<Slice> slices_;
  bool is_sorted_ = true;
};

// Which rows of a table are slices.
struct SliceQuery {
  std::string_view table;
  std::string_view columns;     // in the row from column 0 on
  std::string_view rest = {};   // after the table's name in the query
  std::string end = "\"end\"";  // the column, or an expression
  std::size_t in_memory = kSlicesInMemory;

  std::string all_columns() const { return fmt::format("{}, start, {}", columns, end); }
  std::string source() const { return fmt::format("{} {}", report::quoted(table), rest); }
};

// The times of a row of a SliceQuery.
template <class Row>
events::Times times_of(const Row& row) {
  const int last = row.columns() - 1;
  return {row.integer_or(last - 1, INT64_MAX), row.integer_or(last, INT64_MIN)};
}

// Whether the rows are already in the order of shown_before().
inline base::Result<bool> is_in_order(const report::ReportReader& reader, const SliceQuery& query) {
  bool in_order = true;
  events::Times last{INT64_MIN, INT64_MAX};
  const base::Status read =
      report::scan(reader, "start, " + query.end, query.source(), [&](const report::Row& row) {
        const events::Times times = times_of(row);
        if (!times.is_valid()) return;
        in_order = in_order &&
                   (times.start != last.start ? times.start > last.start : times.end <= last.end);
        last = times;
      });
  if (!read) return tl::make_unexpected(read.error());
  return in_order;
}

// Calls `visit(slice)` for each slice that `make(times, row)` makes of a table's rows, in the order
// of start; of those that start together the longest first. The row is a report::Row or a
// report::Statement.
template <class Make, class Visit>
base::Status for_each_slice(const report::ReportReader& reader, const SliceQuery& query, Make make,
                            Visit visit) {
  std::int64_t rows = 0;
  base::Status read = events::for_each_row(
      reader, fmt::format("SELECT COUNT(*) FROM {}", report::quoted(query.table)),
      [&](const report::Statement& row) { rows = row.integer(0); });
  if (!read) return read;
  std::int64_t faulty = 0;
  const auto use = [&](const auto& row, auto take) {
    const events::Times times = times_of(row);
    if (times.is_valid())
      take(make(times, row));
    else
      ++faulty;
  };
  const bool fits = rows <= static_cast<std::int64_t>(query.in_memory);
  const auto in_order = fits ? false : is_in_order(reader, query);
  if (!in_order) return tl::make_unexpected(in_order.error());
  if (*in_order) {
    read = report::scan(reader, query.all_columns(), query.source(),
                        [&](const report::Row& row) { use(row, visit); });
  } else if (!fits) {
    read = events::for_each_row(reader,
                                fmt::format("SELECT {} FROM {} ORDER BY start, {} DESC",
                                            query.all_columns(), query.source(), query.end),
                                [&](const report::Statement& row) { use(row, visit); });
  } else {
    SliceSorter sorter(static_cast<std::size_t>(rows));
    read = report::scan(reader, query.all_columns(), query.source(), [&](const report::Row& row) {
      use(row, [&](const Slice& slice) { sorter.add(slice); });
    });
    if (read) sorter.visit_all(visit);
  }
  if (faulty > 0) reader.note_faulty(query.table, faulty);
  return read;
}

}  // namespace prof::formats
