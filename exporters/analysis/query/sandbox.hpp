// Confines queries that somebody else wrote: they can only read the report, and they end.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "common/report/report_reader.hpp"

namespace prof::query {

struct Bounds {
  std::chrono::milliseconds time;  // from the making of the sandbox
  int value_bytes;                 // of a text or a blob, also between the steps of a query
  std::stop_token stop = {};       // ends a query that runs
};

using ReadColumns = std::set<std::pair<std::string, std::string>>;  // table or view, column

// While it exists, SQLite denies everything to the statements of the reader that does not only read
// the report: other files, changes, pragmas (but table_info and table_list), and functions that are
// not in a list. SQLite also limits their sizes, and stops them when their time is over.
class Sandbox {
 public:
  Sandbox(const report::ReportReader& reader, Bounds bounds);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  // Returns the columns that the statements read that were prepared until now.
  const ReadColumns& read_columns() const { return columns_; }

 private:
  static int authorize(void* sandbox, int action, const char* first, const char* second,
                       const char* database, const char* view);
  static int is_over(void* sandbox);

  sqlite3* database_;
  std::chrono::steady_clock::time_point end_;
  std::stop_token stop_;
  ReadColumns columns_;
};

// Limits the memory of SQLite in this process, forever.
void limit_memory(std::int64_t bytes);

inline constexpr int kMaxSqlBytes = 10'000;  // of a statement in a sandbox

}  // namespace prof::query
