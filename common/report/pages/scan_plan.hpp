// The queries that are answered from a table's rows as they are stored, without SQLite:
// "SELECT columns FROM table", and with a simple condition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof::report {

// Rows in which the column is one of the numbers, or a number that is none of them.
struct ScanCondition {
  std::string column;
  std::vector<std::int64_t> numbers;
  bool is_one_of = true;
};

struct ScanPlan {
  // A value of each row: that of a column, or the same in all rows.
  struct Item {
    std::string column = {};                   // empty: `if_null` in all rows
    std::optional<std::int64_t> if_null = {};  // in place of NULL
  };
  std::string table;
  std::vector<Item> items;
  std::optional<ScanCondition> condition = {};
};

// `columns`: names, NULL, integers, COALESCE(name, integer), with commas between them. `source`: a
// table, and after it perhaps WHERE and name = integer, name <> integer or name IN (integers).
// Nothing if it is anything else.
std::optional<ScanPlan> plan_scan(std::string_view columns, std::string_view source);

}  // namespace prof::report
