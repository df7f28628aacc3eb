// Opens a report for reading: a report of prof, or one that nsys exported as SQLite.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/event_filter.hpp"
#include "common/report/statement.hpp"
#include "common/report/table_query.hpp"

namespace prof::report {

class ReportReader {
 public:
  // Checks that the file is a complete SQLite database with a report's tables. Never writes. The
  // reader sees the file as it is at one moment; writers that use SQLite's locks wait.
  static base::Result<ReportReader> open(const std::string& path);

  const std::string& path() const { return path_; }
  sqlite3* database() const { return database_.get(); }
  // True if the whole report is in one file, so no pages are in a write-ahead log beside it.
  bool is_one_file() const { return !may_change_; }

  bool has_table(std::string_view table) const;
  // True if the table has the column. Versions of nsys differ in their columns.
  bool has_column(std::string_view table, std::string_view column) const;
  std::vector<std::string> tables() const;  // in the order they were created
  base::Result<Statement> prepare(std::string_view sql) const;

  // Returns an explanation of SQLite's last error for this file, and what to do.
  base::Error last_error() const;
  // Keeps an error that cannot be returned at once. finish() returns this error.
  void note(const base::Error& error) const;
  // Fails if the data that was read is not reliable. Call it after reading.
  base::Status finish() const;

  // Keeps the number of invalid events of a table that a scan left out.
  void note_faulty(std::string_view table, std::int64_t events) const;
  // Like note_faulty(), for frames of call chains that are too long to be real.
  void note_too_deep(std::string_view table, std::int64_t frames) const;
  // For each table: the largest number that one scan has left out.
  using Counts = std::map<std::string, std::int64_t, std::less<>>;
  const Counts& faulty() const { return notes_->faulty; }
  const Counts& too_deep() const { return notes_->too_deep; }

  // Keeps a text that the user should see about how the report was read. Each text is kept once.
  void remark(std::string text) const { notes_->remarks.insert(std::move(text)); }
  const std::set<std::string>& remarks() const { return notes_->remarks; }

  // Sets the filter of events for the queries of this reader. Without it they select all events.
  void keep_filter(EventFilter filter) const { notes_->filter = std::move(filter); }
  const EventFilter& filter() const { return notes_->filter; }

  // Sets the windows of the tables whose views select rows by time alone. A scan reads the stored
  // rows of such a table, other views are queried.
  using Windows = std::map<std::string, RowWindow, std::less<>>;  // by table
  void keep_windows(Windows windows) const { notes_->windows = std::move(windows); }
  const Windows& windows() const { return notes_->windows; }

  // Returns the major version of the schema; nothing for nsys's exports before 2023.
  std::optional<std::int64_t> schema_version() const;

 private:
  struct Notes {
    std::optional<base::Error> error;
    Counts faulty;
    Counts too_deep;
    std::set<std::string> remarks;
    EventFilter filter;
    Windows windows;
  };

  ReportReader(std::string path, Database database, const struct stat& file, bool may_change)
      : path_(std::move(path)),
        file_(file),
        may_change_(may_change),
        notes_(std::make_unique<Notes>()),
        database_(std::move(database)) {}

  std::string path_;
  struct stat file_;  // state when the file was opened
  bool may_change_;
  std::unique_ptr<Notes> notes_;
  Database database_;
};

// The newest schema that prof knows.
inline constexpr std::int64_t kKnownSchema = 3;

}  // namespace prof::report
