// Reads the rows of a table as slices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "exporters/analysis/events/rows.hpp"
#include "exporters/formats/trace/slice_sorter.hpp"

namespace prof::formats {

// Selects the rows of a table that are slices.
struct SliceQuery {
  report::TableQuery rows;
  report::ScanColumn end = "end";
  std::size_t in_memory = SliceSorter::kInMemory;
};

// Calls `take(slice)` for each slice that `make(times, row)` makes of a table's rows, in the order
// of the table.
template <class Make, class Take>
base::Status read_slices(const report::ReportReader& reader, const SliceQuery& query, Make make,
                         Take take) {
  return events::for_each_event(
      reader, query.rows,
      [&](const events::Times& times, const report::Row& row) { take(make(times, row)); },
      query.end);
}

// Visits the slices in the order of start. Of slices with equal start the longest comes first.
template <class Make, class Visit>
base::Status for_each_slice(const report::ReportReader& reader, const SliceQuery& query, Make make,
                            Visit visit) {
  SliceSorter sorter(query.in_memory);
  base::Status read =
      read_slices(reader, query, make, [&](const Slice& slice) { sorter.add(slice); });
  return read ? sorter.visit_all(visit) : read;
}

}  // namespace prof::formats
