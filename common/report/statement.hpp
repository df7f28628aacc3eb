// RAII wrappers for the parts of SQLite's C interface that the report uses.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace prof::report {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

// Returns the name by which SQLite opens a file. SQLite may be built to interpret "file:x.db" as a
// URI, and takes ":memory:" for a database in memory.
inline std::string sqlite_name(const std::string& path) {
  return path.starts_with('/') ? path : "./" + path;
}

// A prepared statement. Columns are counted from 0, parameters from 1, as SQLite does.
class Statement {
 public:
  static base::Result<Statement> prepare(sqlite3* database, std::string_view sql);
  // Like prepare(), for a text of the user: fails unless it is exactly one statement.
  static base::Result<Statement> prepare_only(sqlite3* database, std::string_view sql);

  // Returns true if a row is ready, false at the end, or SQLite's error message.
  base::Result<bool> step();
  // Runs to the end and resets the statement for the next run.
  base::Status run();
  void reset() { sqlite3_reset(handle_.get()); }

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view value);  // copied
  Statement& bind_null(int parameter);
  // Binds the value of a column of another statement, of any type.
  Statement& bind_column(int parameter, const Statement& row, int column);

  int columns() const { return sqlite3_column_count(handle_.get()); }
  const char* column_name(int column) const { return sqlite3_column_name(handle_.get(), column); }
  int type(int column) const { return sqlite3_column_type(handle_.get(), column); }
  bool is_null(int column) const { return type(column) == SQLITE_NULL; }
  // Returns the number in a column; 0 if it is NULL. For a text see misplaced_text().
  std::int64_t integer(int column) const { return integer_or(column, 0); }
  std::int64_t integer_or(int column, std::int64_t if_null) const {
    // Uses one look-up for type and value. This requires that only one thread uses the connection.
    sqlite3_value* value = sqlite3_column_value(handle_.get(), column);
    const int type = sqlite3_value_type(value);
    if (type == SQLITE_INTEGER) return sqlite3_value_int64(value);
    if (type == SQLITE_NULL) return if_null;
    if (type != SQLITE_FLOAT) misplaced_text_ = column;
    return sqlite3_value_int64(value);
  }
  // A column that was read as an integer but contained a text or a blob; -1: none.
  int misplaced_text() const { return misplaced_text_; }
  double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  // The text is valid until the next step().
  std::string_view text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  mutable int misplaced_text_ = -1;
};

// Runs one or more statements that return nothing.
base::Status execute(sqlite3* database, const std::string& sql);

// Opens a finished report to change it. No file lies beside the report then.
base::Result<Database> open_for_change(const std::string& path);

// Quotes a name for use in SQL, whatever characters it contains.
std::string quoted(std::string_view name);
// Quotes a text for use in SQL.
std::string quoted_text(std::string_view text);

}  // namespace prof::report
