// Which rows and columns of a report an export has, and how it counts time.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

// A part of the session. Events have to be inside of it.
struct TimeRange {
  std::int64_t start = std::numeric_limits<std::int64_t>::min();  // ns
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  bool crosses_start = false;  // events may begin before it
  bool crosses_end = false;    // events may end after it
  bool operator==(const TimeRange&) const = default;
};

// Parses nsys's "[:]START/END[:]". START and END are times such as 500, 0.5s or 1s2ms; one of them
// may be missing. A colon lets events cross that end.
base::Result<TimeRange> parse_time_range(std::string_view text);

struct ExportSelection {
  std::vector<TimeRange> times = {};   // an event has to be in one of them; empty: all
  std::int64_t shift = 0;              // added to all times, ns
  bool json = true;                    // payloads of NVTX events as JSON
  bool blobs = true;                   // and as binary data
  std::set<std::string> without = {};  // tables that are taken to be empty
  bool operator==(const ExportSelection&) const = default;
};

// Whether all of the table is selected, as it is.
bool is_whole(const report::ReportReader& reader, std::string_view table,
              const ExportSelection& selection);
// The columns of the table, with its times shifted, as the list of a SELECT.
std::string selected_columns(const report::ReportReader& reader, std::string_view table,
                             const ExportSelection& selection);
// The condition for rows of the table, in SQL.
std::string selected_rows(const report::ReportReader& reader, std::string_view table,
                          const ExportSelection& selection);

// The names of the table's columns.
std::vector<std::string> columns_of(const report::ReportReader& reader, std::string_view table);

}  // namespace prof::events
