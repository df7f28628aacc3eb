// Describes the columns of a report's table, and how SQLite stores them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/arrow/column.hpp"

namespace prof::arrow {

struct TableColumns {
  std::string table;
  Schema schema;
  std::vector<std::size_t> stored;          // by column of the schema: its index in the table
  std::vector<std::string> stored_names;    // by index in the table
  std::size_t stored_columns = 0;           // number of columns of the table
  std::optional<std::size_t> rowid_column;  // index in the table of the column that is the rowid
  bool plain = true;  // true if rows contain all values unchanged: nothing is computed or filled in
};

// Returns the columns of a table. `selected` are the columns to read, in this order; empty: all.
// `wide` are integer columns that get the type int64, because their values do not fit the type that
// nsys's exports have. With `names` ids of StringIds are read as their texts.
base::Result<TableColumns> columns_of(const report::ReportReader& reader, std::string_view table,
                                      std::span<const std::string> selected,
                                      std::span<const std::string> wide, bool names = false);

}  // namespace prof::arrow
