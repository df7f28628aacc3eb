// Thin RAII over the parts of SQLite's C interface that the report uses.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "collector/base/result.hpp"

namespace prof::report {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

// A prepared statement. Columns are counted from 0, parameters from 1, as SQLite does.
class Statement {
 public:
  static base::Result<Statement> prepare(sqlite3* database, std::string_view sql);

  // True: a row is ready. False: done. Error: SQLite's message.
  base::Result<bool> step();
  // Runs to the end and makes the statement ready for the next run.
  base::Status run();
  void reset() { sqlite3_reset(handle_.get()); }

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view value);  // copied
  Statement& bind_null(int parameter);

  int columns() const { return sqlite3_column_count(handle_.get()); }
  const char* column_name(int column) const { return sqlite3_column_name(handle_.get(), column); }
  int type(int column) const { return sqlite3_column_type(handle_.get(), column); }
  bool is_null(int column) const { return type(column) == SQLITE_NULL; }
  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  // Valid until the next step().
  std::string_view text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

// Runs one or more statements that return nothing.
base::Status execute(sqlite3* database, const std::string& sql);

// A name from a file, for use in SQL: whatever it contains, it stays a name.
std::string quoted(std::string_view name);

}  // namespace prof::report
