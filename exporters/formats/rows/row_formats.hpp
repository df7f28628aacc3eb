// Exports the rows of tables unchanged, one row on each line.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/formats/output.hpp"

namespace prof::formats {

// Writes a JSON object for each row: {"end":9,"start":5,"table":"OSRT_API"}. Keys are sorted, and
// columns that are NULL are left out. Binary data is in hexadecimal digits.
base::Status export_json_lines(const report::ReportReader& reader,
                               const std::vector<std::string>& tables, const Output& output);

// Writes a line for each row, in the text format of protocol buffers: OSRT_API { start: 5 end: 9 }.
// Tables of strings and names of threads are last.
base::Status export_text(const report::ReportReader& reader, std::vector<std::string> tables,
                         const Output& output);

}  // namespace prof::formats
