// Recognises queries that need no SQLite, because they can be answered from the stored rows of a
// table: "SELECT columns FROM table", perhaps with a simple condition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof::report {

// Selects rows in which the column is one of the numbers, or is not one of them.
struct ScanCondition {
  std::string column;
  std::vector<std::int64_t> numbers;
  bool is_one_of = true;
};

// Selects rows by their time: those that overlap a window, and those that fulfil `always`.
struct RowWindow {
  std::string start_column;
  std::string end_column;  // a row without an end ends at its start
  std::int64_t start;      // ns, as in the report
  std::int64_t end;
  std::optional<ScanCondition> always = {};
};

struct ScanPlan {
  // A value of each row: the value of a column, or the same value in all rows.
  struct Item {
    std::string column = {};                   // empty: the value is `if_null` in all rows
    std::optional<std::int64_t> if_null = {};  // replaces NULL
  };
  std::string table;
  std::vector<Item> items;
  std::optional<ScanCondition> condition = {};
  std::optional<RowWindow> window = {};
};

// Returns the plan of a query, or nothing if the query has another form. `columns` has names, NULL,
// integers and COALESCE(name, integer), with commas between them. `source` has a table, and after
// it perhaps WHERE and name = integer, name <> integer or name IN (integers).
std::optional<ScanPlan> plan_scan(std::string_view columns, std::string_view source);

}  // namespace prof::report
