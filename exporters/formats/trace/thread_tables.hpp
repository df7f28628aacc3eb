// Lists the tables of a report with what threads did. A trace has one row for each thread and
// table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/report/report_reader.hpp"

namespace prof::formats {

struct ThreadTable {
  std::string table;
  std::string row;               // "CUDA API"
  std::string_view category;     // "cuda_api"; equal for tables of one API
  std::string_view name_column;  // column with an id of StringIds
  std::optional<report::RowCondition> condition;
  bool launches_gpu_work = false;  // true if the table has correlation ids
};

// Returns the tables that the report has, in the order in which they are shown. NVTX_EVENTS is not
// one of them.
std::vector<ThreadTable> thread_tables(const report::ReportReader& reader);

}  // namespace prof::formats
