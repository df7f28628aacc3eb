// A report of the user's: a query in a file NAME.sql.
#pragma once

#include <string>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/tables/table.hpp"

namespace prof::stats {

struct UserReport {
  std::string path;
  std::string title;  // the comment in its first line; else its name
  std::string query;

  static base::Result<UserReport> read(const std::string& path);

  // Columns are integers, reals or text as their values are; headings that end with "(ns)" are
  // times.
  base::Result<tables::Table> run(const report::ReportReader& reader) const;
};

}  // namespace prof::stats
