// Copies the tables of a report to another SQLite file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::formats {

struct SqliteExport {
  std::vector<std::string> tables;
  bool lazy = true;        // leave out tables without rows; false: make all tables of prof's schema
  std::string shown_path;  // path of the file in messages
  // Values of META_DATA_EXPORT by name, which describe how the file was made.
  std::vector<std::pair<std::string, std::string>> parameters;
};

// Makes the file `path`. The caller has to remove it if the export fails.
base::Status export_sqlite(const report::ReportReader& reader, const SqliteExport& what,
                           const std::string& path);

}  // namespace prof::formats
