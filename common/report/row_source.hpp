// An SQLite virtual table of rows in memory. `INSERT INTO t SELECT * FROM prof_rows` runs inside
// SQLite's bytecode and is 2.7 times as fast as binding and stepping an INSERT per row
// (docs/decisions/0004-report-writing.md).
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <span>
#include <string>

#include "common/base/result.hpp"
#include "common/report/rows.hpp"

namespace prof::report {

// Rows of one type for the virtual table.
struct RowBatch {
  const std::byte* rows = nullptr;
  std::size_t count = 0;
  std::size_t stride = 0;
  std::ptrdiff_t nulls = -1;  // offset of the row's null mask, or -1
  std::span<const Column> columns;
};

// The name of the virtual table. Its columns are c0, c1, … up to a number.
inline constexpr char kRowSourceTable[] = "prof_rows";
inline constexpr int kRowSourceColumns = 32;

// Registers the virtual table. It reads the rows that `current` describes when a statement runs.
base::Status register_row_source(sqlite3* database, const RowBatch* current);

// Returns "INSERT INTO <table> SELECT c0, c1, … FROM prof_rows".
std::string insert_from_rows(const char* table, std::size_t columns);

}  // namespace prof::report
