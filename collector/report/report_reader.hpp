// Opens a report for reading: ours or one that nsys exported as SQLite.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/statement.hpp"

namespace prof::report {

class ReportReader {
 public:
  // Checks that the file is a whole SQLite database with a report's tables. Never writes. All that
  // is read through the reader is of one moment: writers that keep to SQLite's locks have to wait.
  static base::Result<ReportReader> open(const std::string& path);

  const std::string& path() const { return path_; }
  sqlite3* database() const { return database_.get(); }

  bool has_table(std::string_view table) const;
  // Columns come and go between the versions of nsys.
  bool has_column(std::string_view table, std::string_view column) const;
  std::vector<std::string> tables() const;  // in the order they were created
  base::Result<Statement> prepare(std::string_view sql) const;

  // What SQLite's last error means for this file, and what to do about it.
  base::Error last_error() const;
  // Keeps the error, where it cannot be returned at once, for finish().
  void note(const base::Error& error) const;
  // After all was read: whether it can be relied upon.
  base::Status finish() const;

  // Keeps how many events of a table a reading had to leave out because they make no sense.
  void note_faulty(std::string_view table, std::int64_t events) const;
  // The most of any reading, by table.
  const std::map<std::string, std::int64_t, std::less<>>& faulty() const { return notes_->faulty; }

  // Its major number, of reports of nsys and ours; none in exports before 2023.
  std::optional<std::int64_t> schema_version() const;

 private:
  struct Notes {
    std::optional<base::Error> error;
    std::map<std::string, std::int64_t, std::less<>> faulty;
  };

  ReportReader(std::string path, Database database, const struct stat& file, bool may_change)
      : path_(std::move(path)),
        file_(file),
        may_change_(may_change),
        notes_(std::make_unique<Notes>()),
        database_(std::move(database)) {}

  std::string path_;
  struct stat file_;  // as it was when it was opened
  bool may_change_;
  std::unique_ptr<Notes> notes_;
  Database database_;
};

// The newest schema whose meaning is known.
inline constexpr std::int64_t kKnownSchema = 3;

}  // namespace prof::report
