// Opens a report for reading: ours or one that nsys exported as SQLite.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/statement.hpp"

namespace prof::report {

class ReportReader {
 public:
  // Checks that the file is a whole SQLite database with a report's tables. Never writes.
  static base::Result<ReportReader> open(const std::string& path);

  const std::string& path() const { return path_; }
  sqlite3* database() const { return database_.get(); }

  bool has_table(std::string_view table) const;
  // Columns come and go between the versions of nsys.
  bool has_column(std::string_view table, std::string_view column) const;
  std::vector<std::string> tables() const;  // in the order they were created
  base::Result<Statement> prepare(std::string_view sql) const {
    return Statement::prepare(database_.get(), sql);
  }

 private:
  ReportReader(std::string path, Database database)
      : path_(std::move(path)), database_(std::move(database)) {}

  std::string path_;
  Database database_;
};

}  // namespace prof::report
