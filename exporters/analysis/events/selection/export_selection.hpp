// Selects the rows and columns of a report that an export has, and how it counts time.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/clocks/clock_map.hpp"

namespace prof::events {

// A part of the session. It selects the events that are entirely inside of it.
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
  ClockMap clock = {};                 // all times are put on this clock
  bool json = true;                    // export payloads of NVTX events as JSON
  bool blobs = true;                   // export payloads of NVTX events as binary data
  std::set<std::string> without = {};  // tables that are exported as empty
  bool operator==(const ExportSelection&) const = default;
};

// True if the whole table is selected without any change.
bool is_whole(const report::ReportReader& reader, std::string_view table,
              const ExportSelection& selection);
// Returns the columns of the table, with its times on the clock, as the list of a SELECT.
std::string selected_columns(const report::ReportReader& reader, std::string_view table,
                             const ExportSelection& selection);
// Returns the condition for rows of the table, in SQL.
std::string selected_rows(const report::ReportReader& reader, std::string_view table,
                          const ExportSelection& selection);

// Returns the names of the table's columns.
std::vector<std::string> columns_of(const report::ReportReader& reader, std::string_view table);

}  // namespace prof::events
