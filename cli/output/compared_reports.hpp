// The reports that a verb compares: two, or those of two jobs.
#pragma once

#include <string>
#include <vector>

#include "common/report/event_filter.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/diff/comparison.hpp"

namespace prof::cli {

// A report, or the reports of a job.
struct ComparedSide {
  std::string name;
  std::vector<report::ReportReader> readers = {};
  std::vector<report::EventFilter> filters = {};  // for each reader
  bool has_left_out = false;
};

// Opens the report, or those of the folder. Replaces a name that is short for a report by that of
// the file.
ComparedSide open_side(std::string& name, bool quiet);

// Valid as long as the side exists.
std::vector<diff::Part> parts_of(const ComparedSide& side);

void close_side(const ComparedSide& side);

}  // namespace prof::cli
