// A report that the user wrote: a query in a file NAME.sql.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

struct UserReport {
  std::string path;
  std::string title;  // the comment in the first line, or the file's name
  std::string query;

  static base::Result<UserReport> read(const std::string& path);

  // Columns are integers, real numbers or text, depending on their values. Headings that end with
  // "(ns)" are times.
  base::Result<tables::Table> run(const report::ReportReader& reader) const;
};

}  // namespace prof::stats
