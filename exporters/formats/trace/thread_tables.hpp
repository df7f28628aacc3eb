// The tables of a report with what threads did, one row of a trace for each thread and table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/report/report_reader.hpp"

namespace prof::formats {

struct ThreadTable {
  std::string table;
  std::string row;                 // "CUDA API"
  std::string_view category;       // "cuda_api"; equal for tables of one API
  std::string_view name_column;    // with an id of StringIds
  std::string_view where;          // after the table's name in SQL; may be empty
  bool launches_gpu_work = false;  // has correlation ids
};

// Those that the report has, in the order in which they are shown. NVTX_EVENTS is not among them.
std::vector<ThreadTable> thread_tables(const report::ReportReader& reader);

}  // namespace prof::formats
